//===- EmitRows.cpp - elementwise kernels and reductions ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "RowKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Which way
//===----------------------------------------------------------------------===//

int64_t memopt::getWidth(int64_t size) {
  return size >= laneCount ? laneCount : int64_t(llvm::PowerOf2Ceil(size));
}

static FailureOr<std::unique_ptr<KernelWalk>>
chooseWalk(const KernelProgram &program) {
  FailureOr<LoopWay> way = chooseWay(program);
  if (failed(way))
    return failure();
  switch (*way) {
  case LoopWay::Points:
    return walkPoints(program);
  case LoopWay::Rows:
    return walkRows(program);
  case LoopWay::Columns:
    return walkColumns(program);
  }
  llvm_unreachable("unknown way");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult memopt::emitRows(KernelOp kernel, KernelBuilder &builder) {
  FailureOr<KernelProgram> program = buildKernelProgram(kernel);
  if (failed(program))
    return failure();
  if (program->empty)
    return success();
  FailureOr<std::unique_ptr<KernelWalk>> walk = chooseWalk(*program);
  if (failed(walk))
    return failure();
  auto function = builder.outline(
      "", [&](OpBuilder &b, Value buffers, Value begin, Value end) {
        KernelCode code{*program, b, kernel.getLoc(), {}, {}};
        code.bindOperands(
            kernel, builder.getCode(),
            loadPointers(b, code.loc, buffers, kernel->getNumOperands()));
        (*walk)->emit(code, begin, end);
        return success();
      });
  if (failed(function))
    return failure();
  KernelRange range = (*walk)->getRange();
  builder.callParallel(*function, range.units, getGrain(range.bytesPerUnit));
  return success();
}
