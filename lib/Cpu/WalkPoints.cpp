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
  explicit PointWalk(const KernelProgram &program)
      : program(program), loops(getPointLoops(program)) {
    width = getWidth(loops.size);
    piece =
        std::max<int64_t>(width, 2048 / loops.columns.count / width * width);
    pieces = llvm::divideCeil(loops.size, piece);
    chooseTile();
  }

  KernelRange getRange() const override {
    return {getCount(program, loops.outer) * tiles * pieces,
            std::min(piece, loops.size) * loops.columns.count * tile *
                getBytesPerPoint(program)};
  }

  void emit(KernelCode &code, Value begin, Value end) override {
    PointCode point(program, code.b, code.loc, code.sources);
    point.columns = loops.columns;
    code.loop(begin, end, 1, [&](Value unit) {
      Value first = code.takePiece(unit, pieces, piece);
      Value row;
      if (tiled >= 0)
        row = code.takePiece(unit, tiles, tile);
      point.pushScope();
      code.place(point, loops.outer, unit);
      emitPiece(code, point, first, row);
      point.popScope();
    });
  }

private:
  /// Where a read is transposed, each lane's line of the cache holds the
  /// elements of the next rows too: some rows together use it up while it is
  /// there.
  void chooseTile() {
    if (loops.lane < 0)
      return;
    for (const ProgramNode &node : program.nodes) {
      if (node.kind != NodeKind::Load)
        continue;
      auto index = program.getMath().getLinear(node.index);
      if (!index || index->factors[loops.lane] <= maxColumns)
        continue;
      for (unsigned loop : loops.outer)
        if (index->factors[loop] == 1)
          tiled = loop;
    }
    if (tiled < 0)
      return;
    llvm::erase(loops.outer, unsigned(tiled));
    tile = std::min<int64_t>(laneCount, program.sizes[tiled]);
    tiles = llvm::divideCeil(program.sizes[tiled], tile);
  }

  /// Iterations [first, first + piece) of the lanes' loop, as far as they
  /// exist, in the rows of the tile from `row` on.
  void emitPiece(KernelCode &code, PointCode &point, Value first, Value row) {
    if (loops.lane < 0)
      return emitPoint(code, point);
    OpBuilder &b = code.b;
    int64_t rest = loops.size % width, even = loops.size - rest;
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
    point.position[loops.lane] = at;
    point.lanes = {loops.lane, width, valid};
    emitPoint(code, point);
    point.lanes = {};
  }

  const KernelProgram &program;
  PointLoops loops;
  int64_t width, piece, pieces;
  /// The loop whose iterations go `tile` by `tile`, or -1.
  int tiled = -1;
  int64_t tile = 1, tiles = 1;
};
} // namespace

std::unique_ptr<KernelWalk> memopt::walkPoints(const KernelProgram &program) {
  return std::make_unique<PointWalk>(program);
}
