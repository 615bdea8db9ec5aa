//===- RowSums.cpp - sums over a row --------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSums.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace memopt;

void RowSums::forEach(
    const RowPass &pass,
    function_ref<void(const ProgramReduction &, int, unsigned)> callback) {
  for (int number : pass.reductions) {
    const ProgramReduction &reduction = program.reductions[number];
    for (unsigned i = 0; i < reduction.inits.size(); ++i)
      callback(reduction, number, i);
  }
}

void RowSums::bind(PointCode &point, const RowPass &pass, NodeKind kind,
                   ValueRange values) {
  unsigned next = 0;
  forEach(pass, [&](const ProgramReduction &, int number, unsigned i) {
    for (auto [node, entry] : llvm::enumerate(program.nodes))
      if (entry.kind == kind && entry.reduction == number && entry.result == i)
        point.bind(node, values[next]);
    ++next;
  });
}

//===----------------------------------------------------------------------===//
// In a thread
//===----------------------------------------------------------------------===//

/// A maximum and its place start from the inits in each lane, which changes
/// neither; a sum may count its init only once.
SmallVector<Value> RowSums::getStart(KernelCode &code, PointCode &point,
                                     const RowPass &pass) {
  SmallVector<Value> start;
  forEach(pass, [&](const ProgramReduction &reduction, int number, unsigned i) {
    int init = reduction.inits[i];
    if (inOrder) {
      start.push_back(point.get(init));
      return;
    }
    auto type = VectorType::get(width, program.nodes[init].type);
    if (follows(pass, number))
      start.push_back(
          vector::BroadcastOp::create(code.b, code.loc, type, point.get(init)));
    else
      start.push_back(getNeutral(code.b, code.loc,
                                 program.getStep(reduction, i)->op, type));
  });
  return start;
}

SmallVector<Value> RowSums::update(KernelCode &code, PointCode &point,
                                   const RowPass &pass, Value exists,
                                   ValueRange sums) {
  // An accumulator is known for this vector only.
  bool readsSums = inOrder || !pass.followers.empty();
  if (readsSums) {
    point.pushScope();
    bind(point, pass, NodeKind::Accumulator, sums);
  }
  SmallVector<Value> results;
  forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
    Value before = sums[results.size()];
    auto step = program.getStep(reduction, i);
    Value after =
        inOrder ? point.get(reduction.updates[i])
        : step  ? point.apply(step->op, {before, point.getWide(step->value)})
                : point.getWide(reduction.updates[i]);
    if (exists)
      after = arith::SelectOp::create(code.b, code.loc, exists, after, before);
    results.push_back(after);
  });
  if (readsSums)
    point.popScope();
  return results;
}

//===----------------------------------------------------------------------===//
// Over all threads of the row
//===----------------------------------------------------------------------===//

/// Lanes, then threads; nothing for what follows another result.
SmallVector<Value> RowSums::addThreads(KernelCode &code, const RowPass &pass,
                                       ArrayRef<Value> sums) {
  SmallVector<GroupSum> parts;
  SmallVector<unsigned> numbers;
  unsigned next = 0;
  forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
    if (auto step = program.getStep(reduction, i)) {
      parts.push_back(
          {step->op, reduceLanes(code.b, code.loc, step->op, sums[next])});
      numbers.push_back(next);
    }
    ++next;
  });
  SmallVector<Value> totals(sums.size());
  for (auto [number, total] :
       llvm::zip_equal(numbers, addGroup(code, getName(), parts, group, rows)))
    totals[number] = total;
  return totals;
}

SmallVector<Value> RowSums::finish(KernelCode &code, PointCode &point,
                                   const RowPass &pass, ArrayRef<Value> sums) {
  if (inOrder)
    return SmallVector<Value>(sums);
  SmallVector<Value> totals = addThreads(code, pass, sums);
  unsigned next = 0;
  forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
    if (auto step = program.getStep(reduction, i))
      totals[next] =
          point.apply(step->op, {point.get(reduction.inits[i]), totals[next]});
    ++next;
  });
  next = 0;
  forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
    unsigned first = next - i;
    if (auto top = program.getFollowed(reduction, i))
      totals[next] = getFirstPlace(code, totals[first + *top],
                                   sums[first + *top], sums[next]);
    ++next;
  });
  return pass.followers.empty() ? totals : repair(code, point, pass, totals);
}

/// The least of the places in those lanes whose maximum is the whole one.
Value RowSums::getFirstPlace(KernelCode &code, Value total, Value tops,
                             Value places) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Value isTop = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OEQ, tops,
      vector::BroadcastOp::create(b, loc, tops.getType(), total));
  auto type = cast<VectorType>(places.getType());
  Type element = type.getElementType();
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto most = b.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
  Value last = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(most)));
  places = arith::SelectOp::create(b, loc, isTop, places, last);
  Value least =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::MINSI, places);
  // The op that adds two parts, as a pattern that stands nowhere.
  OwningOpRef<Operation *> minimum(
      arith::MinSIOp::create(b, loc, least, least).getOperation());
  (*minimum)->remove();
  GroupSum part{*minimum, least};
  return addGroup(code, getName(), part, group, rows)[0];
}

SmallVector<Value> RowSums::repair(KernelCode &code, PointCode &point,
                                   const RowPass &pass,
                                   SmallVector<Value> results) {
  OpBuilder &b = code.b;
  Value isNaN;
  unsigned next = 0;
  forEach(pass, [&](const ProgramReduction &reduction, int number, unsigned i) {
    Value value = results[next++];
    if (!follows(pass, number) || program.getFollowed(reduction, i) ||
        !isa<FloatType>(value.getType()))
      return;
    Value own = arith::CmpFOp::create(b, code.loc, arith::CmpFPredicate::UNO,
                                      value, value);
    isNaN = isNaN ? Value(arith::OrIOp::create(b, code.loc, isNaN, own)) : own;
  });
  if (!isNaN)
    return results;
  return code.choose(isNaN, results,
                     [&] { return walkInOrder(code, point, pass); });
}

SmallVector<Value> RowSums::walkInOrder(KernelCode &code, PointCode &point,
                                        const RowPass &pass) {
  SmallVector<unsigned> columns =
      getLoopList(program.reductions[pass.reductions.front()].loops);
  // Values of the row's pieces are others than those of its points.
  Columns known = std::exchange(point.columns, Columns());
  point.pushScope();
  SmallVector<Value> inits;
  forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
    inits.push_back(point.get(reduction.inits[i]));
  });
  SmallVector<Value> results = code.loop(
      code.getInteger(0), code.getInteger(getCount(program, columns)), 1, inits,
      [&](Value at, ValueRange now) {
        point.pushScope();
        code.place(point, columns, at);
        bind(point, pass, NodeKind::Accumulator, now);
        SmallVector<Value> next;
        forEach(pass, [&](const ProgramReduction &reduction, int, unsigned i) {
          next.push_back(point.get(reduction.updates[i]));
        });
        point.popScope();
        return next;
      });
  point.popScope();
  point.columns = known;
  return results;
}
