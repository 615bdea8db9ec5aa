//===- Chips.h - what is known of a chip ------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_CHIPS_H
#define MEMOPT_LIB_GPU_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memopt {

struct GpuChip {
  llvm::StringRef name;
  /// The oldest PTX version that knows the chip, as LLVM's feature.
  llvm::StringRef features;
  /// Multiprocessors of the largest part sold: launches are sized for them.
  int64_t multiprocessors;
  /// Bytes that cuBLASLt works in where the arena has room for them, and
  /// partial sums take at most: what cuBLAS takes by default on such a chip
  /// (cuBLAS manual, "cublasSetWorkspace").
  int64_t workspaceBytes;
  /// Bytes that cuBLASLt gets where the arena has no room: what cuBLAS takes by
  /// default on the chips before sm_90.
  int64_t leastWorkspaceBytes;
};

/// All chips there is code for, the oldest first.
llvm::ArrayRef<GpuChip> getChips();
/// Null for another name.
const GpuChip *findChip(llvm::StringRef name);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_CHIPS_H
