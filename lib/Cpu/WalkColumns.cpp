//===- WalkColumns.cpp - lanes along columns that stay --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ScalarOps.h"
#include "RowKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Leading loops are reduced, the last one stays. A unit is a tile of columns,
/// whose sums stay in registers while it walks down all rows, always in the
/// same order: no partial sums lie in memory.
class ColumnWalk : public KernelWalk {
public:
  explicit ColumnWalk(const KernelProgram &program) : program(program) {
    uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
    uint64_t reducedLoops = program.reductions[0].loops;
    reduced = getLoopList(reducedLoops);
    outer = getLoopList(all & ~reducedLoops);
    lane = outer.pop_back_val();
    size = program.sizes[lane];
    width = getWidth(size);
    for (const ProgramReduction &reduction : program.reductions) {
      results += reduction.inits.size();
      for (unsigned i = 0; i < reduction.inits.size(); ++i)
        inAnyOrder &= program.getStep(reduction, i).has_value();
    }
    vectors = chooseVectors();
    tile = vectors * width;
  }

  KernelRange getRange() const override {
    return {getCount(program, outer) * int64_t(llvm::divideCeil(size, tile)),
            getCount(program, reduced) * std::min(tile, size) *
                getBytesPerPoint(program)};
  }

  void emit(KernelCode &code, Value begin, Value end) override {
    PointCode point(program, code.b, code.loc, code.sources);
    code.loop(begin, end, 1, [&](Value unit) {
      Value first = code.takePiece(unit, llvm::divideCeil(size, tile), tile);
      point.pushScope();
      code.place(point, outer, unit);
      emitTiles(code, point, first);
      point.popScope();
    });
  }

private:
  /// Four vectors a row fill the lines of a page better than one; fewer where
  /// there would be few tiles, or more sums than registers.
  int64_t chooseVectors() const {
    int64_t count = 4;
    while (count > 1 && (getCount(program, outer) * size < 16 * count * width ||
                         count * results > 8))
      count /= 2;
    return count;
  }

  /// The tile from `first` on: a whole one, or the rest behind the last.
  void emitTiles(KernelCode &code, PointCode &point, Value first) {
    int64_t rest = size % tile;
    if (!rest)
      return emitTile(code, point, first, tile);
    if (size < tile)
      return emitTile(code, point, first, rest);
    Value edge = code.getInteger(size - rest);
    Value isWhole = arith::CmpIOp::create(
        code.b, code.loc, arith::CmpIPredicate::slt, first, edge);
    code.when(isWhole, [&] { emitTile(code, point, first, tile); });
    Value isRest = arith::CmpIOp::create(code.b, code.loc,
                                         arith::CmpIPredicate::eq, first, edge);
    code.when(isRest, [&] { emitTile(code, point, edge, rest); });
  }

  /// `count` columns from `first` on, as vectors.
  void emitTile(KernelCode &code, PointCode &point, Value first,
                int64_t count) {
    int64_t used = llvm::divideCeil(count, width);
    SmallVector<Value> sums;
    for (int64_t v = 0; v < used; ++v)
      atVector(code, point, first, count, v, [&] {
        for (const ProgramReduction &reduction : program.reductions)
          for (int init : reduction.inits)
            sums.push_back(point.getWide(init));
      });
    sums = emitLoops(code, point, first, count, reduced, sums);
    for (int64_t v = 0; v < used; ++v)
      atVector(code, point, first, count, v, [&] {
        bindReduced(point, ArrayRef(sums).slice(v * results, results));
        for (const ProgramStore &store : program.stores)
          if (!isAtPoints(store))
            point.store(store, code.outputs[store.output],
                        point.get(store.node));
      });
  }

  bool isAtPoints(const ProgramStore &store) const {
    return IndexMath::getLoops(store.index) & program.reductions[0].loops;
  }

  void atVector(KernelCode &code, PointCode &point, Value first, int64_t count,
                int64_t vector, function_ref<void()> body) {
    point.pushScope();
    point.position[lane] = arith::AddIOp::create(
        code.b, code.loc, first, code.getInteger(vector * width));
    point.lanes = {int(lane), width, std::min(width, count - vector * width)};
    body();
    point.lanes = {};
    point.popScope();
  }

  SmallVector<Value> emitLoops(KernelCode &code, PointCode &point, Value first,
                               int64_t count, ArrayRef<unsigned> loops,
                               ValueRange sums) {
    auto body = [&](Value at, ValueRange now) {
      point.position[loops[0]] = at;
      if (loops.size() == 1)
        return emitRow(code, point, first, count, now);
      ArrayRef<unsigned> inner = loops.drop_front();
      if (!inAnyOrder || getCount(program, inner) < 64)
        return emitLoops(code, point, first, count, inner, now);
      SmallVector<Value> fresh = getNeutrals(code, now.size() / results);
      return addSums(code, now,
                     emitLoops(code, point, first, count, inner, fresh));
    };
    int64_t rows = program.sizes[loops[0]];
    // A long walk in blocks, so that no sum has many terms.
    constexpr int64_t block = 128;
    if (rows < 4 * block || !inAnyOrder)
      return code.loop(code.getInteger(0), code.getInteger(rows), 1, sums,
                       body);
    return code.loop(
        code.getInteger(0), code.getInteger(rows), block, sums,
        [&](Value low, ValueRange outerSums) {
          Value high = arith::AddIOp::create(code.b, code.loc, low,
                                             code.getInteger(block));
          high = arith::MinSIOp::create(code.b, code.loc, high,
                                        code.getInteger(rows));
          SmallVector<Value> fresh = getNeutrals(code, sums.size() / results);
          return addSums(code, outerSums, code.loop(low, high, 1, fresh, body));
        });
  }

  SmallVector<Value> emitRow(KernelCode &code, PointCode &point, Value first,
                             int64_t count, ValueRange sums) {
    SmallVector<Value> next;
    for (int64_t v = 0; v < int64_t(sums.size()) / results; ++v)
      atVector(code, point, first, count, v, [&] {
        for (const ProgramAssert &check : program.asserts)
          point.check(check);
        update(code, point, sums.slice(v * results, results), next);
        for (const ProgramStore &store : program.stores)
          if (isAtPoints(store))
            point.store(store, code.outputs[store.output],
                        point.get(store.node));
      });
    return next;
  }

  void update(KernelCode &code, PointCode &point, ValueRange sums,
              SmallVector<Value> &next) {
    unsigned first = 0;
    for (auto [number, reduction] : llvm::enumerate(program.reductions)) {
      for (auto [i, node] : llvm::enumerate(program.nodes))
        if (node.kind == NodeKind::Accumulator && node.reduction == int(number))
          point.bind(i, sums[first + node.result]);
      for (int node : reduction.updates)
        next.push_back(point.getWide(node));
      first += reduction.inits.size();
    }
  }

  void bindReduced(PointCode &point, ArrayRef<Value> sums) {
    unsigned first = 0;
    for (auto [number, reduction] : llvm::enumerate(program.reductions)) {
      for (auto [i, node] : llvm::enumerate(program.nodes))
        if (node.kind == NodeKind::Reduced && node.reduction == int(number))
          point.bind(i, sums[first + node.result]);
      first += reduction.inits.size();
    }
  }

  template <typename Callback> void forEachResult(Callback callback) {
    for (const ProgramReduction &reduction : program.reductions)
      for (unsigned i = 0; i < reduction.inits.size(); ++i)
        callback(reduction, i);
  }

  SmallVector<Value> getNeutrals(KernelCode &code, int64_t count) {
    SmallVector<Value> values;
    for (int64_t v = 0; v < count; ++v)
      forEachResult([&](const ProgramReduction &reduction, unsigned i) {
        Type element = program.nodes[reduction.inits[i]].type;
        values.push_back(getNeutral(code.b, code.loc,
                                    program.getStep(reduction, i)->op,
                                    VectorType::get(width, element)));
      });
    return values;
  }

  SmallVector<Value> addSums(KernelCode &code, ValueRange a, ValueRange c) {
    SmallVector<Value> sums;
    while (sums.size() < a.size())
      forEachResult([&](const ProgramReduction &reduction, unsigned i) {
        size_t k = sums.size();
        sums.push_back(applyOp(code.b, code.loc,
                               program.getStep(reduction, i)->op, {a[k], c[k]},
                               0));
      });
    return sums;
  }

  const KernelProgram &program;
  SmallVector<unsigned> outer, reduced;
  unsigned lane;
  int64_t size, width, results = 0, vectors, tile;
  bool inAnyOrder = true;
};
} // namespace

std::unique_ptr<KernelWalk> memopt::walkColumns(const KernelProgram &program) {
  return std::make_unique<ColumnWalk>(program);
}
