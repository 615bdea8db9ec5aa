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
#include "Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Leading loops are reduced, the last one stays. A block has `across` vectors
/// of columns and walks down a chunk of the rows with `down` threads each,
/// whose sums it adds up in shared memory. Chunks' sums lie in the workspace; a
/// second kernel adds those likewise, in an order of shapes and the chip alone.
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
    chooseShape(chip);
  }

  SmallVector<GpuStage> getStages() const override {
    if (chunks == 1)
      return {makeWholeStage(program, getGeometry(1))};
    GpuStage first{"chunks", getGeometry(chunks)},
        second{"total", getGeometry(1)};
    first.workspaceBytes = second.workspaceBytes = chunks * getBytesPerChunk();
    SmallVector<int> points, columns;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      points.push_back(reduction.updates[i]);
      columns.push_back(reduction.inits[i]);
    });
    for (const ProgramAssert &check : program.asserts)
      points.push_back(check.condition);
    for (const ProgramStore &store : program.stores) {
      (isAtPoints(store) ? points : columns).push_back(store.node);
      (isAtPoints(store) ? first : second).stores.push_back(&store);
    }
    first.loads.push_back(getLoads(program, points));
    second.loads.push_back(getLoads(program, columns));
    for (Type type : sums)
      second.partialRead = first.partialWritten +=
          chunks * vectors * width * getElementBytes(type);
    return {first, second};
  }

  void emit(unsigned stage, KernelCode &code, Value workspace) override {
    PointCode point(program, code.b, code.loc, code.sources);
    findVector(code);
    placeVector(code, point);
    bool isSecond = stage == 1;
    SmallVector<Value> totals =
        isSecond ? walkChunks(code, workspace) : walkRows(code, point);
    if (down > 1)
      totals = addDown(code, totals);
    whenFirst(code, [&] {
      if (chunks > 1 && !isSecond)
        storeChunk(code, workspace, totals);
      else
        storeColumns(code, point, totals);
    });
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
    int64_t fit = chip.workspaceBytes / getBytesPerChunk();
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

  /// Sums of one kind lie side by side, each on a boundary of 16 bytes.
  int64_t getSumBytes(Type type) const {
    return llvm::alignTo(vectors * width * getElementBytes(type), 64);
  }
  int64_t getBytesPerChunk() const {
    int64_t bytes = 0;
    for (Type type : sums)
      bytes += getSumBytes(type);
    return bytes;
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

  SmallVector<Value> getStart(KernelCode &code, PointCode *point) {
    SmallVector<Value> start;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      if (!inAnyOrder) {
        start.push_back(point->getWide(reduction.inits[i]));
        return;
      }
      auto type =
          VectorType::get(width, program.nodes[reduction.inits[i]].type);
      start.push_back(getNeutral(code.b, code.loc,
                                 program.getStep(reduction, i)->op, type));
    });
    return start;
  }

  /// The rows of the thread's chunk, every `down`th.
  SmallVector<Value> walkRows(KernelCode &code, PointCode &point) {
    OpBuilder &b = code.b;
    enter(point);
    SmallVector<Value> start = getStart(code, &point);
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

  Operation *getOp(unsigned sum) {
    Operation *op = nullptr;
    unsigned next = 0;
    forEachSum([&](const ProgramReduction &reduction, unsigned i) {
      if (next++ == sum)
        op = program.getStep(reduction, i)->op;
    });
    return op;
  }

  /// Threads above each other, through shared memory: the upper half adds the
  /// lower one's, until one is left.
  SmallVector<Value> addDown(KernelCode &code, ArrayRef<Value> parts) {
    OpBuilder &b = code.b;
    ThreadCode threads{b, code.loc};
    SmallVector<Value> places, totals(parts);
    for (auto [i, type] : llvm::enumerate(sums))
      places.push_back(makeShared(b, code.loc, "down" + std::to_string(i), type,
                                  across * down * width));
    auto getPlace = [&](unsigned i, Value thisRow) {
      Value at =
          arith::MulIOp::create(b, code.loc, thisRow, code.getInteger(across));
      at = arith::AddIOp::create(b, code.loc, at, column);
      at = arith::MulIOp::create(b, code.loc, at, code.getInteger(width));
      return getElementAddress(b, code.loc, places[i], sums[i], at);
    };
    for (unsigned i = 0; i < sums.size(); ++i)
      storeWide(code, totals[i], getPlace(i, row));
    for (int64_t half = down / 2; half >= 1; half /= 2) {
      threads.synchronize();
      Value isUpper = arith::CmpIOp::create(
          b, code.loc, arith::CmpIPredicate::slt, row, code.getInteger(half));
      totals = code.choose(isUpper, totals, [&] {
        SmallVector<Value> next;
        Value below =
            arith::AddIOp::create(b, code.loc, row, code.getInteger(half));
        for (unsigned i = 0; i < sums.size(); ++i) {
          Value other = loadWide(code, sums[i], getPlace(i, below));
          next.push_back(applyOp(b, code.loc, getOp(i), {totals[i], other}, 0));
          if (half > 1)
            storeWide(code, next.back(), getPlace(i, row));
        }
        return next;
      });
    }
    return totals;
  }

  int64_t getBoundary(Type element) const {
    return std::min<int64_t>(16, width * getElementBytes(element));
  }

  Value loadWide(KernelCode &code, Type element, Value address) {
    return loadElement(code.b, code.loc, VectorType::get(width, element),
                       address, getBoundary(element));
  }

  void storeWide(KernelCode &code, Value value, Value address) {
    storeElement(code.b, code.loc, value, address,
                 getBoundary(getElementTypeOrSelf(value)));
  }

  //===--------------------------------------------------------------------===//
  // Chunks
  //===--------------------------------------------------------------------===//

  Value getPartial(KernelCode &code, Value workspace, Value chunk,
                   unsigned sum) {
    OpBuilder &b = code.b;
    int64_t before = 0;
    for (unsigned i = 0; i < sum; ++i)
      before += getSumBytes(sums[i]);
    Value offset = arith::MulIOp::create(b, code.loc, chunk,
                                         code.getInteger(getBytesPerChunk()));
    offset =
        arith::AddIOp::create(b, code.loc, offset, code.getInteger(before));
    Value within = arith::MulIOp::create(
        b, code.loc, vector,
        code.getInteger(width * getElementBytes(sums[sum])));
    offset = arith::AddIOp::create(b, code.loc, offset, within);
    return getElementAddress(b, code.loc, workspace, b.getI8Type(), offset);
  }

  void storeChunk(KernelCode &code, Value workspace, ArrayRef<Value> totals) {
    ThreadCode threads{code.b, code.loc};
    Value chunk = threads.getBlockY();
    for (unsigned i = 0; i < sums.size(); ++i)
      storeWide(code, totals[i], getPartial(code, workspace, chunk, i));
  }

  SmallVector<Value> walkChunks(KernelCode &code, Value workspace) {
    return code.loop(row, code.getInteger(chunks), down,
                     getStart(code, nullptr), [&](Value at, ValueRange now) {
                       SmallVector<Value> next;
                       for (unsigned i = 0; i < sums.size(); ++i) {
                         Value part = loadWide(
                             code, sums[i], getPartial(code, workspace, at, i));
                         next.push_back(applyOp(code.b, code.loc, getOp(i),
                                                {now[i], part}, 0));
                       }
                       return next;
                     });
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
  Value column, row, vector, exists;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuColumns(const KernelProgram &program,
                                                const GpuChip &chip) {
  return std::make_unique<ColumnWalk>(program, chip);
}
