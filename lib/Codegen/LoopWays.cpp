//===- LoopWays.cpp - which way through a program's loops -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/LoopWays.h"
#include "MemOpt/Codegen/RowPasses.h"

using namespace mlir;
using namespace memopt;

FailureOr<LoopWay> memopt::chooseWay(const KernelProgram &program) {
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
    return LoopWay::Columns;
  }
  uint64_t all = (uint64_t(1) << count) - 1;
  uint64_t rows = (uint64_t(1) << program.rowLoops) - 1;
  bool trailing = !reduced || reduced == (all & ~rows);
  int64_t columns =
      getCount(program, getLoopList(reduced ? reduced : all & ~rows));
  bool shortRows = columns <= maxColumns && program.rowLoops > 0 && trailing;
  if ((!program.hasRows() && !reduced) || columns == 1 || shortRows)
    return LoopWay::Points;
  return LoopWay::Rows;
}

//===----------------------------------------------------------------------===//
// By points
//===----------------------------------------------------------------------===//

/// Rows that are reduced are columns whatever their length; without any,
/// trailing loops as long as together they are short.
static unsigned getFirstColumn(const KernelProgram &program) {
  if (program.hasRows())
    return program.rowLoops;
  unsigned first = program.sizes.size();
  int64_t count = 1;
  while (first > 1 && count * program.sizes[first - 1] <= maxColumns)
    count *= program.sizes[--first];
  return first;
}

PointLoops memopt::getPointLoops(const KernelProgram &program) {
  PointLoops loops;
  uint64_t rows = 0;
  unsigned first = getFirstColumn(program);
  for (unsigned loop = 0; loop < program.sizes.size(); ++loop)
    (loop < first ? rows : loops.columns.loops) |= uint64_t(1) << loop;
  loops.outer = getLoopList(rows);
  loops.columns.count = getCount(program, getLoopList(loops.columns.loops));
  if (!loops.outer.empty()) {
    loops.lane = loops.outer.pop_back_val();
    loops.size = program.sizes[loops.lane];
  }
  return loops;
}

/// Once at each column, or just once where `loops` has no column.
static void forEachColumn(PointCode &point, uint64_t loops,
                          function_ref<void()> callback) {
  if (!(loops & point.columns.loops))
    return callback();
  for (int64_t c = 0; c < point.columns.count; ++c) {
    point.enterColumn(c);
    callback();
  }
  point.enterColumn(-1);
}

void memopt::emitPoint(KernelCode &code, PointCode &point) {
  const KernelProgram &program = code.program;
  point.pushScope();
  for (const ProgramAssert &check : program.asserts)
    forEachColumn(point, program.nodes[check.condition].loops,
                  [&] { point.check(check); });
  // Everything is read before anything is written.
  SmallVector<SmallVector<Value>> values;
  for (const ProgramStore &store : program.stores) {
    values.emplace_back();
    forEachColumn(point, IndexMath::getLoops(store.index),
                  [&] { values.back().push_back(point.get(store.node)); });
  }
  for (auto [store, value] : llvm::zip_equal(program.stores, values))
    point.store(store, code.outputs[store.output], value);
  point.popScope();
}
