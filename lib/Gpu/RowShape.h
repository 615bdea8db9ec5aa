//===- RowShape.h - how many threads a row ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_ROWSHAPE_H
#define MEMOPT_LIB_GPU_ROWSHAPE_H

#include "Chips.h"
#include "MemOpt/Codegen/RowPasses.h"

namespace memopt {

/// How the threads of a block share rows.
struct RowShape {
  /// Threads a row: a power of two within a warp, or all of a block.
  int64_t group = 1;
  /// Rows a block.
  int64_t rows = 1;
  /// Vectors of a row that a thread has, all in registers; 0: as many as come,
  /// read anew in each pass.
  int64_t pieces = 0;
};

/// For rows of `vectors` vectors of `width` lanes.
RowShape chooseRowShape(const KernelProgram &program, const RowPlan &plan,
                        int64_t vectors, int64_t width);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_ROWSHAPE_H
