//===- RowCode.cpp - what threads do with a row ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCode.h"
#include "GpuWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

RowVectors::RowVectors(const KernelProgram &program, uint64_t loops,
                       int64_t mostWidth)
    : columns(getLoopList(loops)), lane(columns.back()) {
  if (mostWidth > 1)
    width = getGpuWidth(program, lane, mostWidth);
  while (program.sizes[lane] % width)
    width /= 2;
  count = getCount(program, columns) / width;
}

void RowVectors::enter(KernelCode &code, PointCode &point, Value number) const {
  for (size_t i = columns.size(); i-- > 0;) {
    int64_t size = code.program.sizes[columns[i]];
    int64_t steps = columns[i] == lane ? size / width : size;
    Value at = number;
    if (i) {
      Value divisor = code.getInteger(steps);
      at = arith::RemUIOp::create(code.b, code.loc, number, divisor);
      number = arith::DivUIOp::create(code.b, code.loc, number, divisor);
    }
    if (columns[i] == lane && width > 1)
      at = arith::MulIOp::create(code.b, code.loc, at, code.getInteger(width));
    point.position[columns[i]] = at;
  }
}

void RowCode::begin(KernelCode &code, PointCode &point, Value number) {
  thread = number;
  point.columns.loops = shape.pieces ? plan.columns : 0;
  for (int64_t i = 0; i < shape.pieces; ++i)
    pieces.push_back(makePiece(code, i));
}

RowCode::Piece RowCode::makePiece(KernelCode &code, int64_t number) {
  Piece piece;
  piece.vector = arith::AddIOp::create(code.b, code.loc, thread,
                                       code.getInteger(number * shape.group));
  if ((number + 1) * shape.group > vectors.count) {
    Value last = code.getInteger(vectors.count - 1);
    piece.exists = arith::CmpIOp::create(
        code.b, code.loc, arith::CmpIPredicate::sle, piece.vector, last);
    piece.vector = arith::MinSIOp::create(code.b, code.loc, piece.vector, last);
  }
  return piece;
}

void RowCode::enter(KernelCode &code, PointCode &point, Value vector) {
  vectors.enter(code, point, vector);
  point.lanes = {inOrder ? -1 : int(vectors.lane), vectors.width, vectors.width,
                 /*aligned=*/true};
}

void RowCode::leave(PointCode &point) {
  point.enterPiece(-1);
  point.lanes = {};
}

void RowCode::forEachPiece(KernelCode &code, PointCode &point, PieceBody body) {
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    point.enterPiece(number);
    enter(code, point, piece.vector);
    body(number, piece.exists);
  }
  leave(point);
}

/// Writes under the conditions that row and piece exist.
void RowCode::whenExists(KernelCode &code, Value exists,
                         function_ref<void()> body) {
  Value condition = rowExists;
  if (exists)
    condition =
        condition
            ? Value(arith::AndIOp::create(code.b, code.loc, condition, exists))
            : exists;
  if (condition)
    code.when(condition, body);
  else
    body();
}

void RowCode::storeRow(KernelCode &code, PointCode &point) {
  if (plan.rowStores.empty())
    return;
  SmallVector<Value> values;
  for (const ProgramStore *store : plan.rowStores)
    values.push_back(point.get(store->node));
  Value isFirst;
  if (shape.group > 1)
    isFirst = arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::eq,
                                    thread, code.getInteger(0));
  whenExists(code, isFirst, [&] {
    for (auto [store, value] : llvm::zip_equal(plan.rowStores, values))
      point.store(*store, code.outputs[store->output], value);
  });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void RowCode::emit(KernelCode &code, PointCode &point, Value exists) {
  rowExists = exists;
  for (const RowPass &pass : plan.passes)
    emitPass(code, point, pass);
  storeRow(code, point);
}

void RowCode::emitPass(KernelCode &code, PointCode &point,
                       const RowPass &pass) {
  point.hoist(pass.roots, ~plan.columns);
  if (&pass == &plan.passes.front())
    loadAhead(code, point);
  SmallVector<Value> now = sums.getStart(code, point, pass);
  now = shape.pieces ? walkPieces(code, point, pass, now)
                     : walkRow(code, point, pass, now);
  sums.bind(point, pass, NodeKind::Reduced,
            sums.finish(code, point, pass, now));
}

void RowCode::loadShared(KernelCode &code, PointCode &point) {
  forEachPiece(code, point, [&](int64_t, Value) {
    for (auto [i, node] : llvm::enumerate(program.nodes))
      if (node.kind == NodeKind::Load && node.loops &&
          !(node.loops & ~plan.columns))
        point.get(i);
  });
}

/// All that a row reads is on its way before the first sum waits.
void RowCode::loadAhead(KernelCode &code, PointCode &point) {
  forEachPiece(code, point, [&](int64_t, Value) {
    for (auto [i, node] : llvm::enumerate(program.nodes))
      if (node.kind == NodeKind::Load && (node.loops & plan.columns))
        point.get(i);
  });
}

SmallVector<Value> RowCode::walkPieces(KernelCode &code, PointCode &point,
                                       const RowPass &pass,
                                       SmallVector<Value> now) {
  forEachPiece(code, point, [&](int64_t, Value exists) {
    now = emitVector(code, point, pass, exists, now);
  });
  return now;
}

SmallVector<Value> RowCode::walkRow(KernelCode &code, PointCode &point,
                                    const RowPass &pass, ValueRange start) {
  return code.loop(thread, code.getInteger(vectors.count), shape.group, start,
                   [&](Value at, ValueRange now) {
                     point.pushScope();
                     enter(code, point, at);
                     auto next = emitVector(code, point, pass, {}, now);
                     point.lanes = {};
                     point.popScope();
                     return next;
                   });
}

SmallVector<Value> RowCode::emitVector(KernelCode &code, PointCode &point,
                                       const RowPass &pass, Value exists,
                                       ValueRange now) {
  for (const ProgramAssert *check : pass.asserts)
    point.check(*check);
  SmallVector<Value> next = sums.update(code, point, pass, exists, now);
  SmallVector<Value> values;
  for (const ProgramStore *store : pass.stores)
    values.push_back(point.get(store->node));
  if (!values.empty())
    whenExists(code, exists, [&] {
      for (auto [store, value] : llvm::zip_equal(pass.stores, values))
        point.store(*store, code.outputs[store->output], value);
    });
  return next;
}
