//===- Image.h - device code, compiled for the host ------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_IMAGE_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_IMAGE_H

#include "Block.h"
#include "SharedMemory.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace memopt::emulator {

/// A kernel that can be called.
struct Kernel {
  std::string name;
  BlockRunner::Entry entry = nullptr;
  /// Its threads wait for each other somewhere.
  bool synchronises = false;
  /// The shared variables that it uses, and where dynamic shared memory begins.
  std::vector<SharedRange> shared;
  bool usesDynamic = false;
  uint64_t dynamicOffset = 0;
  /// Bytes of each parameter's value.
  std::vector<int64_t> parameterBytes;
  /// Threads of a block that the code was made for: at most, or exactly; 0: any
  /// number.
  int64_t maxThreads = 0, requiredThreads = 0;
};

/// A module of NVVM bitcode. Its globals lie in device memory.
class Image {
public:
  /// `cacheFolder`: for compiled kernels; empty: they are compiled each time.
  static llvm::Expected<std::unique_ptr<Image>>
  load(llvm::StringRef bitcode, bool checks, const std::string &cacheFolder);
  ~Image();

  /// Null where there is none of that name.
  const Kernel *findKernel(llvm::StringRef name) const;
  /// The device address and bytes of a global; 0 where there is none.
  std::pair<uint64_t, int64_t> findGlobal(llvm::StringRef name) const;

private:
  Image();
  llvm::Error bind(std::vector<Kernel> found,
                   const std::vector<struct DeviceGlobal> &placed);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// What the linker reports along the way.
  std::string unresolved;
  llvm::StringMap<Kernel> kernels;
  llvm::StringMap<std::pair<uint64_t, int64_t>> globals;
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_IMAGE_H
