//===- WalkLongRows.cpp - few rows, several blocks each -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of a whole tensor is one row: a block that walks it alone leaves the
// other multiprocessors idle. Here each block adds up a chunk of a row, and the
// last one of a row the chunks' sums. What is added in which order depends on
// shapes and the chip's size only.
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "PartialSums.h"
#include "RowCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

static constexpr int64_t threadsPerBlock = 256;

namespace {
class LongRowWalk : public GpuWalk {
public:
  LongRowWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program), plan(planPasses(program)) {
    if (!isOneSum())
      return;
    rows = getLoopList(~plan.columns &
                       ((uint64_t(1) << program.sizes.size()) - 1));
    rowCount = getCount(program, rows);
    vectors = RowVectors(program, plan.columns, /*mostWidth=*/8);
    // Two blocks a multiprocessor, at least 16 vectors a thread.
    chunks = std::min(2 * chip.multiprocessors / std::max<int64_t>(rowCount, 1),
                      vectors.count / (threadsPerBlock * 16));
    if (chunks < 2)
      return;
    vectorsPerChunk = llvm::divideCeil(vectors.count, chunks);
    chunks = llvm::divideCeil(vectors.count, vectorsPerChunk);
    SmallVector<PartialSum> sums;
    for (int number : pass().reductions) {
      const ProgramReduction &reduction = program.reductions[number];
      for (unsigned i = 0; i < reduction.inits.size(); ++i)
        sums.push_back({program.getStep(reduction, i)->op,
                        program.nodes[reduction.inits[i]].type});
    }
    partials = PartialSums(sums, /*vectors=*/1, /*width=*/1);
  }

  bool fits() const { return chunks >= 2; }

  SmallVector<GpuStage> getStages() const override {
    GpuGeometry geometry;
    geometry.grid[0] = chunks;
    geometry.grid[1] = rowCount;
    geometry.block[0] = threadsPerBlock;
    GpuStage stage = makeWholeStage(program, geometry);
    partials.addTo(stage, chunks * rowCount, rowCount, chunks * rowCount);
    return {stage};
  }

  void emit(unsigned, KernelCode &code, Value workspace) override {
    PointCode point(program, code.b, code.loc, code.sources);
    ThreadCode threads{code.b, code.loc};
    thread = threads.getThread();
    isFirst = arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                                    thread, code.getInteger(0));
    Value chunk = threads.getBlock(), row = threads.getBlockY();
    Value first = code.multiply(row, chunks);
    code.place(point, rows, row);
    point.hoist(pass().roots, ~plan.columns);
    SmallVector<Value> sums = addChunk(code, point, chunk);
    code.when(isFirst, [&] {
      partials.store(code, workspace, code.add(first, chunk),
                     code.getInteger(0), sums);
    });
    Value isLast =
        isLastBlock(code, "arrived", rowCount, row, code.getInteger(chunks));
    code.when(isLast, [&] { addRow(code, point, workspace, first); });
  }

private:
  const RowPass &pass() const { return plan.passes.front(); }

  /// One pass of sums in any order, after which no point is walked again.
  bool isOneSum() const {
    return plan.passes.size() == 1 && !pass().reductions.empty() &&
           pass().inAnyOrder && pass().followers.empty() &&
           plan.otherStores.empty();
  }

  /// The sums of the block's chunk, in each of its threads.
  SmallVector<Value> addChunk(KernelCode &code, PointCode &point, Value chunk) {
    RowSums sums(program, threadsPerBlock, /*rows=*/1, vectors.width,
                 /*inOrder=*/false);
    Value begin = code.multiply(chunk, vectorsPerChunk);
    Value end = arith::MinSIOp::create(
        code.b, code.loc, code.add(begin, code.getInteger(vectorsPerChunk)),
        code.getInteger(vectors.count));
    SmallVector<Value> own = code.loop(
        code.add(begin, thread), end, threadsPerBlock,
        sums.getStart(code, point, pass()), [&](Value at, ValueRange before) {
          point.pushScope();
          vectors.enter(code, point, at);
          point.lanes = {int(vectors.lane), vectors.width, vectors.width,
                         /*aligned=*/true};
          SmallVector<Value> next = emitVector(code, point, sums, before);
          point.lanes = {};
          point.popScope();
          return next;
        });
    return sums.addThreads(code, pass(), own);
  }

  SmallVector<Value> emitVector(KernelCode &code, PointCode &point,
                                RowSums &sums, ValueRange before) {
    for (const ProgramAssert *check : pass().asserts)
      point.check(*check);
    SmallVector<Value> next =
        sums.update(code, point, pass(), /*exists=*/{}, before);
    SmallVector<Value> values;
    for (const ProgramStore *store : pass().stores)
      values.push_back(point.get(store->node));
    for (auto [store, value] : llvm::zip_equal(pass().stores, values))
      point.store(*store, code.outputs[store->output], value);
    return next;
  }

  /// The sums of the row from those of its chunks, which begin at part `first`.
  void addRow(KernelCode &code, PointCode &point, Value workspace,
              Value first) {
    RowSums sums(program, threadsPerBlock, /*rows=*/1, /*width=*/1,
                 /*inOrder=*/false);
    sums.setName("total");
    point.pushScope();
    SmallVector<Value> own =
        partials.add(code, workspace, code.add(first, thread),
                     code.add(first, code.getInteger(chunks)), threadsPerBlock,
                     code.getInteger(0));
    sums.bind(point, pass(), NodeKind::Reduced,
              sums.finish(code, point, pass(), own));
    SmallVector<Value> values;
    for (const ProgramStore *store : plan.rowStores)
      values.push_back(point.get(store->node));
    code.when(isFirst, [&] {
      for (auto [store, value] : llvm::zip_equal(plan.rowStores, values))
        point.store(*store, code.outputs[store->output], value);
    });
    point.popScope();
  }

  const KernelProgram &program;
  RowPlan plan;
  SmallVector<unsigned> rows;
  RowVectors vectors;
  PartialSums partials;
  int64_t rowCount = 0, chunks = 0, vectorsPerChunk = 0;
  Value thread, isFirst;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuLongRows(const KernelProgram &program,
                                                 const GpuChip &chip) {
  auto walk = std::make_unique<LongRowWalk>(program, chip);
  if (!walk->fits())
    return nullptr;
  return walk;
}
