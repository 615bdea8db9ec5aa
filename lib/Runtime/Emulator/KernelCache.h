//===- KernelCache.h - compiled kernels on disk ----------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_KERNELCACHE_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_KERNELCACHE_H

#include "llvm/ExecutionEngine/ObjectCache.h"

#include <string>

namespace memopt::emulator {

/// Object files named by the hash of the rewritten module, which holds every
/// address that code was compiled with, and of the target. An entry that was
/// cut short or changed counts as absent.
class KernelCache : public llvm::ObjectCache {
public:
  /// An empty folder: nothing is kept.
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}
  void setTarget(std::string description) { target = std::move(description); }

  void notifyObjectCompiled(const llvm::Module *module,
                            llvm::MemoryBufferRef object) override;
  std::unique_ptr<llvm::MemoryBuffer>
  getObject(const llvm::Module *module) override;

private:
  std::string getPath(const llvm::Module &module) const;
  std::string folder, target;
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_KERNELCACHE_H
