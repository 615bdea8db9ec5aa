//===- WalkColumns.cpp - threads along columns that stay ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "GroupSum.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "PartialSums.h"
#include "Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Leading loops are reduced, the last one stays. A block has `across` vectors
/// of columns and walks down a chunk of the rows with `down` threads each,
/// whose sums it adds up in shared memory. Chunks' sums lie in the workspace;
/// the last block at the same columns adds those likewise, in an order of
/// shapes and the chip alone.
class ColumnWalk : public GpuWalk {
public:
  ColumnWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program) {
    uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
    uint64_t reducedLoops = program.reductions[0].loops;
    reduced = getLoopList(reducedLoops);
    outer = getLoopList(all & ~reducedLoops);
    lane = outer.pop_back_val();
    width = getGpuWidth(program, lane, /*most=*/4);
    while (program.sizes[lane] % width)
      width /= 2;
    vectors = getCount(program, outer) * (program.sizes[lane] / width);
    rows = getCount(program, reduced);
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      inAnyOrder &= program.getStep(reduction, i).has_value();
      sums.push_back(program.nodes[reduction.inits[i]].type);
    });
    if (inAnyOrder)
      partials = PartialSums(getPartials(), vectors, width);
    chooseShape(chip);
  }

  SmallVector<GpuStage> getStages() const override {
    GpuStage stage = makeWholeStage(program, getGeometry(chunks));
    if (chunks == 1)
      return {stage};
    partials.addTo(stage, chunks, tiles, chunks * tiles);
    return {stage};
  }

  void emit(unsigned, KernelCode &code, Value workspace) override {
    PointCode point(program, code.b, code.loc, code.sources);
    findVector(code);
    placeVector(code, point);
    SmallVector<Value> totals = walkRows(code, point);
    if (down > 1) {
      placeDown(code);
      totals = addDown(code, totals);
    }
    if (chunks == 1)
      return whenFirst(code, [&] { storeColumns(code, point, totals); });
    ThreadCode threads{code.b, code.loc};
    whenFirst(code, [&] {
      partials.store(code, workspace, threads.getBlockY(), vector, totals);
    });
    Value isLast = isLastBlock(code, "arrived", tiles, threads.getBlock(),
                               code.getInteger(chunks));
    code.when(isLast, [&] { addChunks(code, point, workspace); });
  }

private:
  void chooseShape(const GpuChip &chip) {
    constexpr int64_t threads = 256;
    across = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectors));
    tiles = llvm::divideCeil(vectors, across);
    if (!inAnyOrder)
      return;
    down = std::min<int64_t>(threads / across, llvm::PowerOf2Ceil(rows));
    // Four blocks a multiprocessor, and at least eight rows a thread.
    int64_t wanted = llvm::divideCeil(4 * chip.multiprocessors, tiles);
    int64_t most = rows / (8 * down);
    int64_t fit = chip.workspaceBytes / partials.getBytesPerPart();
    chunks = std::max<int64_t>(1, std::min({wanted, most, fit}));
    rowsPerChunk = llvm::divideCeil(rows, chunks);
    chunks = llvm::divideCeil(rows, rowsPerChunk);
  }

  GpuGeometry getGeometry(int64_t gridY) const {
    GpuGeometry geometry;
    geometry.grid[0] = tiles;
    geometry.grid[1] = gridY;
    geometry.block[0] = across;
    geometry.block[1] = down;
    return geometry;
  }

  SmallVector<PartialSum> getPartials() const {
    SmallVector<PartialSum> parts;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      parts.push_back({program.getStep(reduction, i)->op,
                       program.nodes[reduction.inits[i]].type});
    });
    return parts;
  }

  template <typename Callback> void forEachSum(Callback callback) const {
    for (const ProgramReduction &reduction : program.reductions)
      for (unsigned i = 0; i < reduction.inits.size(); ++i)
        callback(reduction, i);
  }

  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// The thread's vector of columns; threads behind the last one do it again.
  void findVector(KernelCode &code) {
    OpBuilder &b = code.b;
    ThreadCode threads{b, code.loc};
    column = threads.getThread();
    row = threads.getThreadY();
    vector = arith::MulIOp::create(b, code.loc, threads.getBlock(),
                                   code.getInteger(across));
    vector = arith::AddIOp::create(b, code.loc, vector, column);
    if (tiles * across == vectors)
      return;
    exists = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                   vector, code.getInteger(vectors));
    vector = arith::MinSIOp::create(b, code.loc, vector,
                                    code.getInteger(vectors - 1));
  }

  void placeVector(KernelCode &code, PointCode &point) {
    Value unit = vector;
    point.position[lane] =
        code.takePiece(unit, program.sizes[lane] / width, width);
    code.place(point, outer, unit);
  }

  void enter(PointCode &point) {
    point.lanes = {int(lane), width, width, /*aligned=*/true};
  }

  /// One thread of those above each other, where its columns exist.
  void whenFirst(KernelCode &code, function_ref<void()> body) {
    Value condition = exists;
    if (down > 1) {
      Value isFirst = arith::CmpIOp::create(
          code.b, code.loc, arith::CmpIPredicate::eq, row, code.getInteger(0));
      condition = condition ? Value(arith::AndIOp::create(code.b, code.loc,
                                                          condition, isFirst))
                            : isFirst;
    }
    if (condition)
      code.when(condition, body);
    else
      body();
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  SmallVector<Value> getStart(KernelCode &code, PointCode &point) {
    if (inAnyOrder)
      return partials.getNeutrals(code);
    SmallVector<Value> start;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      start.push_back(point.getWide(reduction.inits[i]));
    });
    return start;
  }

  /// The rows of the thread's chunk, every `down`th.
  SmallVector<Value> walkRows(KernelCode &code, PointCode &point) {
    OpBuilder &b = code.b;
    enter(point);
    SmallVector<Value> start = getStart(code, point);
    point.lanes = {};
    Value first = row, end = code.getInteger(rows);
    if (chunks > 1) {
      ThreadCode threads{b, code.loc};
      Value begin = arith::MulIOp::create(b, code.loc, threads.getBlockY(),
                                          code.getInteger(rowsPerChunk));
      first = arith::AddIOp::create(b, code.loc, begin, row);
      Value behind = arith::AddIOp::create(b, code.loc, begin,
                                           code.getInteger(rowsPerChunk));
      end = arith::MinSIOp::create(b, code.loc, behind, end);
    }
    return code.loop(first, end, down, start, [&](Value at, ValueRange now) {
      point.pushScope();
      code.place(point, reduced, at);
      enter(point);
      SmallVector<Value> next = emitRow(code, point, now);
      point.lanes = {};
      point.popScope();
      return next;
    });
  }

  bool isAtPoints(const ProgramStore &store) const {
    return IndexMath::getLoops(store.index) & program.reductions[0].loops;
  }

  SmallVector<Value> emitRow(KernelCode &code, PointCode &point,
                             ValueRange now) {
    for (const ProgramAssert &check : program.asserts)
      point.check(check);
    bindNodes(point, NodeKind::Accumulator, now);
    SmallVector<Value> next, values;
    for (const ProgramReduction &reduction : program.reductions)
      for (int node : reduction.updates)
        next.push_back(point.getWide(node));
    for (const ProgramStore &store : program.stores)
      if (isAtPoints(store))
        values.push_back(point.get(store.node));
    auto storeAll = [&] {
      unsigned k = 0;
      for (const ProgramStore &store : program.stores)
        if (isAtPoints(store))
          point.store(store, code.outputs[store.output], values[k++]);
    };
    if (!values.empty() && exists)
      code.when(exists, storeAll);
    else
      storeAll();
    return next;
  }

  void bindNodes(PointCode &point, NodeKind kind, ValueRange values) {
    unsigned first = 0;
    for (auto [number, reduction] : llvm::enumerate(program.reductions)) {
      for (auto [i, node] : llvm::enumerate(program.nodes))
        if (node.kind == kind && node.reduction == int(number))
          point.bind(i, values[first + node.result]);
      first += reduction.inits.size();
    }
  }

  void placeDown(KernelCode &code) {
    for (auto [i, type] : llvm::enumerate(sums))
      places.push_back(makeShared(code.b, code.loc, "down" + std::to_string(i),
                                  type, across * down * width));
  }

  SmallVector<Value> addDown(KernelCode &code, ArrayRef<Value> totals) {
    SmallVector<GroupSum> parts;
    for (auto [sum, total] : llvm::zip_equal(getPartials(), totals))
      parts.push_back({sum.op, total});
    return addAbove(code, parts, places, {row, column, across, down});
  }

  void addChunks(KernelCode &code, PointCode &point, Value workspace) {
    SmallVector<Value> totals = partials.add(
        code, workspace, row, code.getInteger(chunks), down, vector);
    if (down > 1)
      totals = addDown(code, totals);
    whenFirst(code, [&] { storeColumns(code, point, totals); });
  }

  void storeColumns(KernelCode &code, PointCode &point,
                    ArrayRef<Value> totals) {
    enter(point);
    SmallVector<Value> results;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      Value total = totals[results.size()];
      if (inAnyOrder)
        total = point.apply(program.getStep(reduction, i)->op,
                            {point.getWide(reduction.inits[i]), total});
      results.push_back(total);
    });
    bindNodes(point, NodeKind::Reduced, results);
    for (const ProgramStore &store : program.stores)
      if (!isAtPoints(store))
        point.store(store, code.outputs[store.output], point.get(store.node));
    point.lanes = {};
  }

  const KernelProgram &program;
  SmallVector<unsigned> outer, reduced;
  unsigned lane;
  SmallVector<Type> sums;
  bool inAnyOrder = true;
  int64_t width, vectors, rows;
  int64_t across = 1, down = 1, tiles = 1, chunks = 1, rowsPerChunk = 0;
  PartialSums partials;
  Value column, row, vector, exists;
  SmallVector<Value> places;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuColumns(const KernelProgram &program,
                                                const GpuChip &chip) {
  return std::make_unique<ColumnWalk>(program, chip);
}
