//===- EmitRows.cpp - elementwise kernels and reductions ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "MemOpt/Codegen/RowPasses.h"
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
  unsigned count = program.sizes.size();
  if (failed(checkReductions(program)))
    return failure();
  uint64_t reduced =
      program.reductions.empty() ? 0 : program.reductions[0].loops;
  if (reduced && !(reduced >> (count - 1) & 1)) {
    for (auto [node, depth] :
         llvm::zip_equal(program.nodes, getDepths(program)))
      if (depth > 0 && (node.loops & reduced))
        return program.reductions[0].op->emitOpError(
            "reduces leading loops, and its kernel reads the result on them "
            "again");
    return walkColumns(program);
  }
  uint64_t all = (uint64_t(1) << count) - 1;
  uint64_t rows = (uint64_t(1) << program.rowLoops) - 1;
  bool trailing = !reduced || reduced == (all & ~rows);
  int64_t columns =
      getCount(program, getLoopList(reduced ? reduced : all & ~rows));
  bool shortRows = columns <= maxColumns && program.rowLoops > 0 && trailing;
  if (!program.hasRows() && !reduced)
    return walkPoints(program);
  if (columns == 1 || shortRows)
    return walkPoints(program);
  return walkRows(program);
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
