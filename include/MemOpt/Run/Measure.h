//===- Measure.h - the bytes that a step uses -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_MEASURE_H
#define MEMOPT_RUN_MEASURE_H

#include "MemOpt/Run/Execution.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memopt::run {

struct Measurement {
  /// The arena as compiled.
  int64_t plannedBytes = 0;
  /// Buffers begin at multiples of it, and take whole ones.
  int64_t alignment = 1;
  /// One past the highest byte of the arena that the step writes.
  int64_t touchedBytes = 0;
  /// What the step asks malloc and mmap for.
  int64_t allocations = 0, allocatedBytes = 0;
  /// Buffers that libraries (the BLAS, OpenMP) made before the step and keep.
  int64_t libraryBytes = 0;
  /// What libraries ask for, and give back, for the length of a call.
  int64_t libraryAllocations = 0, libraryCallBytes = 0;
  /// Growth of the process's resident set from just before the step to its
  /// highest point; none where the kernel does not say.
  std::optional<int64_t> residentBytes;
  /// What the step asked a device for: launches and products, and nothing else
  /// if all is well.
  std::optional<memopt_gpu_counts> onDevice;
  /// Both measured runs gave the same bits.
  bool repeatable = true;

  /// The highest aligned block that is written, and what is allocated.
  int64_t peakBytes() const;
};

/// Runs the step three times: to warm up, on an arena of fresh pages, which
/// read as 0x00, and on one full of 0xFF. A byte that was not written reads
/// 0x00 in the second run and 0xFF in the third, and no byte that a repeatable
/// step writes can do both: so the highest byte that differs from the pattern
/// in either run is the highest that is touched. A step that reads what it has
/// not written gets NaN in the third run (0xFF... as a float), and is not
/// repeatable. Donated arguments are restored.
/// `warmUp` is called before all runs and makes what libraries keep.
///
/// On a device the same runs are done on its memory; the emulator knows itself
/// which bytes were written. What is counted is device memory.
llvm::Expected<Measurement> measure(Execution &execution,
                                    llvm::function_ref<void()> warmUp);

} // namespace memopt::run

#endif // MEMOPT_RUN_MEASURE_H
