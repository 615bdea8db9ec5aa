//===- WalkRows.cpp - a group of threads a row ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "RowShape.h"
#include "RowSums.h"
#include "Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
/// The part of a row that a thread has at one time.
struct Piece {
  SmallVector<Value> position; ///< of the columns' loops
  Value exists;                ///< null where it always does
};

/// Each row is walked in passes, as on the CPU; what a pass needs of an earlier
/// one is in registers where the row fits, else it is computed again. Rows
/// whose sums take their values in order only are a thread's each.
class RowWalk : public GpuWalk {
public:
  RowWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program), plan(planPasses(program)) {
    columns = getLoopList(plan.columns);
    lane = columns.back();
    rows = getLoopList(~plan.columns &
                       ((uint64_t(1) << program.sizes.size()) - 1));
    rowCount = getCount(program, rows);
    for (const RowPass &pass : plan.passes)
      inOrder |= !pass.inAnyOrder;
    if (!inOrder) {
      width = getGpuWidth(program, lane, /*most=*/8);
      while (program.sizes[lane] % width)
        width /= 2;
    }
    vectors = getCount(program, columns) / width;
    shape = inOrder ? RowShape{1, 128, 0}
                    : chooseRowShape(program, plan, vectors, width);
    int64_t blocks = llvm::divideCeil(rowCount, shape.rows);
    // A grid has up to 2^31 - 1 blocks along x.
    constexpr int64_t most = int64_t(1) << 30;
    geometry.grid[0] = std::min(blocks, most);
    geometry.grid[1] = llvm::divideCeil(blocks, most);
    geometry.block[0] = shape.group * shape.rows;
  }

  /// A row that does not stay in registers is loaded anew in each pass that
  /// needs it.
  SmallVector<GpuStage> getStages() const override {
    GpuStage stage = makeWholeStage(program, geometry);
    if (!shape.pieces) {
      llvm::erase_if(stage.loads.front(), [&](int load) {
        return program.nodes[load].loops & plan.columns;
      });
      for (const RowPass &pass : plan.passes)
        stage.loads.push_back(getLoads(program, pass.roots));
    }
    return {stage};
  }

  void emit(unsigned, KernelCode &code, Value) override {
    PointCode point(program, code.b, code.loc, code.sources);
    sums.emplace(program, shape.group, width, inOrder);
    point.columns.loops = shape.pieces ? plan.columns : 0;
    code.place(point, rows, findRow(code));
    for (int64_t i = 0; i < shape.pieces; ++i)
      pieces.push_back(makePiece(code, i));
    for (const RowPass &pass : plan.passes)
      emitPass(code, point, pass);
    storeRow(code, point);
  }

private:
  //===--------------------------------------------------------------------===//
  // Places
  //===--------------------------------------------------------------------===//

  /// The row's number. Threads behind the last row do it again and write
  /// nothing, since all threads of a warp take part in sums.
  Value findRow(KernelCode &code) {
    OpBuilder &b = code.b;
    ThreadCode threads{b, code.loc};
    Value row = threads.getBlock();
    if (geometry.grid[1] > 1)
      row = add(code, row,
                arith::MulIOp::create(b, code.loc, threads.getBlockY(),
                                      code.getInteger(geometry.grid[0])));
    thread = threads.getThread();
    if (shape.rows > 1) {
      Value group = code.getInteger(shape.group);
      row =
          arith::MulIOp::create(b, code.loc, row, code.getInteger(shape.rows));
      row = add(code, row, arith::DivUIOp::create(b, code.loc, thread, group));
      thread = arith::RemUIOp::create(b, code.loc, thread, group);
    }
    int64_t blocks = geometry.grid[0] * geometry.grid[1];
    if (blocks * shape.rows == rowCount)
      return row;
    rowExists = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                      row, code.getInteger(rowCount));
    return arith::MinSIOp::create(b, code.loc, row,
                                  code.getInteger(rowCount - 1));
  }

  static Value add(KernelCode &code, Value x, Value y) {
    return arith::AddIOp::create(code.b, code.loc, x, y);
  }

  /// The places of the columns' loops at vector `number` of the row.
  SmallVector<Value> getPlaces(KernelCode &code, Value number) {
    SmallVector<Value> places(columns.size());
    for (size_t i = columns.size(); i-- > 0;) {
      int64_t size = program.sizes[columns[i]];
      int64_t count = i + 1 == columns.size() ? size / width : size;
      places[i] = i ? Value(arith::RemUIOp::create(code.b, code.loc, number,
                                                   code.getInteger(count)))
                    : number;
      if (i)
        number = arith::DivUIOp::create(code.b, code.loc, number,
                                        code.getInteger(count));
    }
    if (width > 1)
      places.back() = arith::MulIOp::create(code.b, code.loc, places.back(),
                                            code.getInteger(width));
    return places;
  }

  Piece makePiece(KernelCode &code, int64_t number) {
    Value vector = add(code, thread, code.getInteger(number * shape.group));
    Piece piece;
    if ((number + 1) * shape.group > vectors) {
      Value last = code.getInteger(vectors - 1);
      piece.exists = arith::CmpIOp::create(
          code.b, code.loc, arith::CmpIPredicate::sle, vector, last);
      vector = arith::MinSIOp::create(code.b, code.loc, vector, last);
    }
    piece.position = getPlaces(code, vector);
    return piece;
  }

  void enter(PointCode &point, const Piece &piece) {
    for (auto [loop, at] : llvm::zip_equal(columns, piece.position))
      point.position[loop] = at;
    point.lanes = {inOrder ? -1 : int(lane), width, width, /*aligned=*/true};
  }

  /// Writes under the conditions that row and piece exist.
  void whenExists(KernelCode &code, Value exists, function_ref<void()> body) {
    Value condition = rowExists;
    if (exists)
      condition = condition ? Value(arith::AndIOp::create(code.b, code.loc,
                                                          condition, exists))
                            : exists;
    if (condition)
      code.when(condition, body);
    else
      body();
  }

  void storeRow(KernelCode &code, PointCode &point) {
    if (plan.rowStores.empty())
      return;
    SmallVector<Value> values;
    for (const ProgramStore *store : plan.rowStores)
      values.push_back(point.get(store->node));
    Value isFirst;
    if (shape.group > 1)
      isFirst =
          arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                                thread, code.getInteger(0));
    whenExists(code, isFirst, [&] {
      for (auto [store, value] : llvm::zip_equal(plan.rowStores, values))
        point.store(*store, code.outputs[store->output], value);
    });
  }

  //===--------------------------------------------------------------------===//
  // Passes
  //===--------------------------------------------------------------------===//

  void emitPass(KernelCode &code, PointCode &point, const RowPass &pass) {
    point.hoist(pass.roots, ~plan.columns);
    if (&pass == &plan.passes.front())
      loadAhead(point);
    SmallVector<Value> now = sums->getStart(code, point, pass);
    now = shape.pieces ? walkPieces(code, point, pass, now)
                       : walkRow(code, point, pass, now);
    sums->bind(point, pass, NodeKind::Reduced,
               sums->finish(code, point, pass, now));
  }

  /// All that a row reads is on its way before the first sum waits.
  void loadAhead(PointCode &point) {
    for (auto [number, piece] : llvm::enumerate(pieces)) {
      point.enterPiece(number);
      enter(point, piece);
      for (auto [i, node] : llvm::enumerate(program.nodes))
        if (node.kind == NodeKind::Load && (node.loops & plan.columns))
          point.get(i);
    }
    leave(point);
  }

  void leave(PointCode &point) {
    point.enterPiece(-1);
    point.lanes = {};
  }

  SmallVector<Value> walkPieces(KernelCode &code, PointCode &point,
                                const RowPass &pass, SmallVector<Value> now) {
    for (auto [number, piece] : llvm::enumerate(pieces)) {
      point.enterPiece(number);
      enter(point, piece);
      now = emitVector(code, point, pass, piece, now);
    }
    leave(point);
    return now;
  }

  SmallVector<Value> walkRow(KernelCode &code, PointCode &point,
                             const RowPass &pass, ValueRange start) {
    return code.loop(thread, code.getInteger(vectors), shape.group, start,
                     [&](Value at, ValueRange now) {
                       Piece piece{getPlaces(code, at), {}};
                       point.pushScope();
                       enter(point, piece);
                       auto next = emitVector(code, point, pass, piece, now);
                       point.lanes = {};
                       point.popScope();
                       return next;
                     });
  }

  SmallVector<Value> emitVector(KernelCode &code, PointCode &point,
                                const RowPass &pass, const Piece &piece,
                                ValueRange now) {
    for (const ProgramAssert *check : pass.asserts)
      point.check(*check);
    SmallVector<Value> next =
        sums->update(code, point, pass, piece.exists, now);
    SmallVector<Value> values;
    for (const ProgramStore *store : pass.stores)
      values.push_back(point.get(store->node));
    if (!values.empty())
      whenExists(code, piece.exists, [&] {
        for (auto [store, value] : llvm::zip_equal(pass.stores, values))
          point.store(*store, code.outputs[store->output], value);
      });
    return next;
  }

  const KernelProgram &program;
  RowPlan plan;
  SmallVector<unsigned> rows, columns;
  unsigned lane;
  int64_t rowCount, width = 1, vectors;
  bool inOrder = false;
  RowShape shape;
  GpuGeometry geometry;
  Value thread, rowExists;
  SmallVector<Piece> pieces;
  std::optional<RowSums> sums;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuRows(const KernelProgram &program,
                                             const GpuChip &chip) {
  return std::make_unique<RowWalk>(program, chip);
}
