//===- TransposeKernel.h - copies through shared memory ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_TRANSPOSEKERNEL_H
#define MEMOPT_LIB_GPU_TRANSPOSEKERNEL_H

#include "GatherKernel.h"

namespace memopt {

/// Joined loops of a gather of which the last one strides through the source
/// and another one does not.
struct Transposition {
  llvm::SmallVector<GatherLoop> loops;
  unsigned along; ///< the loop of stride 1

  int64_t getTiles() const;
};

/// Nothing where the loops are no transposition, or one too narrow for tiles.
std::optional<Transposition>
findTransposition(llvm::ArrayRef<GatherLoop> joined);

/// A block a tile of 32 x 32 elements: it reads along the source and writes
/// along the target, and turns the tile in shared memory.
GpuGeometry getTransposeGeometry(const Transposition &transposition);
void emitTransposeKernel(mlir::OpBuilder &b, mlir::Location loc,
                         const Transposition &transposition, mlir::Type element,
                         mlir::ValueRange pointers);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_TRANSPOSEKERNEL_H
