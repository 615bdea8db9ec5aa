//===- LoopWays.h - which way through a program's loops ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the generators for the CPU and for GPUs decide alike before they deal
// out points to lanes and threads.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_LOOPWAYS_H
#define MEMOPT_CODEGEN_LOOPWAYS_H

#include "MemOpt/Codegen/KernelCode.h"
#include "MemOpt/Codegen/PointCode.h"

namespace memopt {

/// Neighbouring points, or short rows whose columns are written out; a row
/// after the other; columns that stay, down all rows.
enum class LoopWay { Points, Rows, Columns };

/// The longest row whose columns are written out.
constexpr int64_t maxColumns = 16;

/// Fails with a diagnostic where no way fits.
llvm::FailureOr<LoopWay> chooseWay(const KernelProgram &program);

/// The loops of the way by points: those outside, the one of the lanes (-1 for
/// none) with its size, and those written out.
struct PointLoops {
  llvm::SmallVector<unsigned> outer;
  int lane = -1;
  int64_t size = 1;
  Columns columns;
};

PointLoops getPointLoops(const KernelProgram &program);

/// Writes the program's assertions and stores where `point` stands.
void emitPoint(KernelCode &code, PointCode &point);

} // namespace memopt

#endif // MEMOPT_CODEGEN_LOOPWAYS_H
