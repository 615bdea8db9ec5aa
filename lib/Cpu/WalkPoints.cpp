//===- WalkPoints.cpp - lanes along points or short rows ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

namespace {
/// The loops outside, the lanes' loop in pieces, the columns written out. A
/// unit is a piece at one place of the loops outside.
class PointWalk : public KernelWalk {
public:
  explicit PointWalk(const KernelProgram &program) : program(program) {
    uint64_t rows = 0;
    unsigned first = getFirstColumn();
    for (unsigned loop = 0; loop < program.sizes.size(); ++loop)
      (loop < first ? rows : columns.loops) |= uint64_t(1) << loop;
    outer = getLoopList(rows);
    columns.count = getCount(program, getLoopList(columns.loops));
    if (!outer.empty())
      lane = outer.pop_back_val();
    size = lane >= 0 ? program.sizes[lane] : 1;
    width = getWidth(size);
    piece = std::max<int64_t>(width, 2048 / columns.count / width * width);
    pieces = llvm::divideCeil(size, piece);
    chooseTile();
  }

  KernelRange getRange() const override {
    return {getCount(program, outer) * tiles * pieces,
            std::min(piece, size) * columns.count * tile *
                getBytesPerPoint(program)};
  }

  void emit(KernelCode &code, Value begin, Value end) override {
    PointCode point(program, code.b, code.loc, code.sources);
    point.columns = columns;
    code.loop(begin, end, 1, [&](Value unit) {
      Value first = code.takePiece(unit, pieces, piece);
      Value row;
      if (tiled >= 0)
        row = code.takePiece(unit, tiles, tile);
      point.pushScope();
      code.place(point, outer, unit);
      emitPiece(code, point, first, row);
      point.popScope();
    });
  }

private:
  /// Rows that are reduced are columns whatever their length; without any,
  /// trailing loops as long as together they are short.
  unsigned getFirstColumn() const {
    if (program.hasRows())
      return program.rowLoops;
    unsigned first = program.sizes.size();
    int64_t count = 1;
    while (first > 1 && count * program.sizes[first - 1] <= maxColumns)
      count *= program.sizes[--first];
    return first;
  }

  /// Where a read is transposed, each lane's line of the cache holds the
  /// elements of the next rows too: some rows together use it up while it is
  /// there.
  void chooseTile() {
    if (lane < 0)
      return;
    for (const ProgramNode &node : program.nodes) {
      if (node.kind != NodeKind::Load)
        continue;
      auto index = program.getMath().getLinear(node.index);
      if (!index || index->factors[lane] <= maxColumns)
        continue;
      for (unsigned loop : outer)
        if (index->factors[loop] == 1)
          tiled = loop;
    }
    if (tiled < 0)
      return;
    llvm::erase(outer, unsigned(tiled));
    tile = std::min<int64_t>(laneCount, program.sizes[tiled]);
    tiles = llvm::divideCeil(program.sizes[tiled], tile);
  }

  /// Iterations [first, first + piece) of the lanes' loop, as far as they
  /// exist, in the rows of the tile from `row` on.
  void emitPiece(KernelCode &code, PointCode &point, Value first, Value row) {
    if (lane < 0)
      return emitPoint(code, point);
    OpBuilder &b = code.b;
    int64_t rest = size % width, even = size - rest;
    Value end =
        arith::AddIOp::create(b, code.loc, first, code.getInteger(piece));
    end = pieces == 1
              ? code.getInteger(even)
              : arith::MinSIOp::create(b, code.loc, end, code.getInteger(even))
                    .getResult();
    if (even)
      code.loop(first, end, width,
                [&](Value at) { emitTile(code, point, at, width, row); });
    if (!rest)
      return;
    Value isLast =
        arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq, first,
                              code.getInteger((pieces - 1) * piece));
    auto tail = [&] {
      emitTile(code, point, code.getInteger(even), rest, row);
    };
    if (pieces == 1)
      tail();
    else
      code.when(isLast, tail);
  }

  void emitTile(KernelCode &code, PointCode &point, Value at, int64_t valid,
                Value row) {
    if (tiled < 0)
      return emitLanes(code, point, at, valid);
    Value end =
        arith::AddIOp::create(code.b, code.loc, row, code.getInteger(tile));
    end = arith::MinSIOp::create(code.b, code.loc, end,
                                 code.getInteger(program.sizes[tiled]));
    code.loop(row, end, 1, [&](Value now) {
      point.position[tiled] = now;
      emitLanes(code, point, at, valid);
    });
  }

  void emitLanes(KernelCode &code, PointCode &point, Value at, int64_t valid) {
    point.position[lane] = at;
    point.lanes = {lane, width, valid};
    emitPoint(code, point);
    point.lanes = {};
  }

  void emitPoint(KernelCode &code, PointCode &point) {
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

  /// Once at each column, or just once where `loops` has no column.
  void forEachColumn(PointCode &point, uint64_t loops,
                     function_ref<void()> callback) {
    if (!(loops & columns.loops))
      return callback();
    for (int64_t c = 0; c < columns.count; ++c) {
      point.enterColumn(c);
      callback();
    }
    point.enterColumn(-1);
  }

  const KernelProgram &program;
  Columns columns;
  SmallVector<unsigned> outer;
  int lane = -1;
  int64_t size, width, piece, pieces;
  /// The loop whose iterations go `tile` by `tile`, or -1.
  int tiled = -1;
  int64_t tile = 1, tiles = 1;
};
} // namespace

std::unique_ptr<KernelWalk> memopt::walkPoints(const KernelProgram &program) {
  return std::make_unique<PointWalk>(program);
}
