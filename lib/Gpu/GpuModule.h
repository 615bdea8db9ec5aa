//===- GpuModule.h - what the kernels of a step share -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GPUMODULE_H
#define MEMOPT_LIB_GPU_GPUMODULE_H

#include "Chips.h"
#include "MemOpt/Codegen/CodeModule.h"

namespace memopt {

/// Bytes of device memory that the code of one kernel should move, and does:
/// what is read again (a row in a second pass) counts again; what all rows read
/// (a scale) counts once, since it stays in the cache.
struct GpuTraffic {
  int64_t leastRead = 0, leastWritten = 0;
  int64_t read = 0, written = 0;
};

/// One launch or product in the step's order.
struct GpuLaunch {
  std::string kernel;
  llvm::StringRef kind;
  GpuTraffic traffic;
};

/// One product in the step's order, and how many calls of cuBLASLt it is.
struct GpuProductCall {
  std::string shape;
  int64_t calls;
};

/// The address space of device memory.
constexpr unsigned globalSpace = 1;
/// The address space of a block's shared memory.
constexpr unsigned sharedSpace = 3;

struct GpuModule {
  /// Kernels and the constants that they read; host code and its constants.
  CodeModule &device, &host;
  const GpuChip &chip;
  bool tf32 = false;
  /// Room for what a product's kernel makes in front of it and behind it.
  int64_t gatherBytes = 0;
  /// The texts of the assertions, as `kernel: message`; number 1 first.
  std::vector<std::string> assertions = {};
  std::vector<GpuLaunch> launches = {};
  std::vector<GpuProductCall> products = {};
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUMODULE_H
