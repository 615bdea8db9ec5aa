//===- WalkRows.cpp - lanes along rows ------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/RowPasses.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "RowKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace memopt;

namespace {
/// One row after the other. Each row is walked in passes: what a sum over the
/// row gives is there for the passes after it.
class RowWalk : public KernelWalk {
public:
  explicit RowWalk(const KernelProgram &program)
      : program(program), plan(planPasses(program)) {
    columns = getLoopList(plan.columns);
    lane = columns.back();
    rows = getLoopList(~plan.columns &
                       ((uint64_t(1) << program.sizes.size()) - 1));
    size = program.sizes[lane];
    width = getWidth(size);
  }

  KernelRange getRange() const override {
    return {getCount(program, rows),
            getCount(program, columns) * getBytesPerPoint(program)};
  }

  void emit(KernelCode &code, Value begin, Value end) override {
    PointCode point(program, code.b, code.loc, code.sources);
    for (int node : plan.kept)
      buffers[node] = allocate(code, program.nodes[node].type);
    code.loop(begin, end, 1, [&](Value row) {
      point.pushScope();
      code.place(point, rows, row);
      for (const RowPass &pass : plan.passes)
        emitPass(code, point, pass);
      for (const ProgramStore *store : plan.rowStores) {
        Value value = point.get(store->node);
        point.store(*store, code.outputs[store->output], value);
      }
      point.popScope();
    });
  }

private:
  Value allocate(KernelCode &code, Type element) {
    Value count = code.getInteger(getCount(program, columns));
    return LLVM::AllocaOp::create(
        code.b, code.loc, LLVM::LLVMPointerType::get(code.b.getContext()),
        getMemoryType(element), count, /*alignment=*/64);
  }

  /// The column's number within the row.
  Value getColumn(KernelCode &code, PointCode &point) {
    Value number = code.getInteger(0);
    for (unsigned loop : columns) {
      number = arith::MulIOp::create(code.b, code.loc, number,
                                     code.getInteger(program.sizes[loop]));
      number =
          arith::AddIOp::create(code.b, code.loc, number, point.position[loop]);
    }
    return number;
  }

  //===--------------------------------------------------------------------===//
  // Passes
  //===--------------------------------------------------------------------===//

  void emitPass(KernelCode &code, PointCode &point, const RowPass &pass) {
    point.hoist(pass.roots, ~plan.columns);
    SmallVector<Value> sums = walkPass(code, point, pass);
    if (!pass.followers.empty())
      sums = repairFollowers(code, point, pass, sums);
    unsigned next = 0;
    forEachSum(pass, [&](int reduction, unsigned i) {
      bindReduced(point, reduction, i, sums[next++]);
    });
  }

  /// Walks along the row once. Returns the results of the pass's reductions.
  SmallVector<Value> walkPass(KernelCode &code, PointCode &point,
                              const RowPass &pass) {
    SmallVector<Value> sums;
    forEachSum(pass, [&](int reduction, unsigned i) {
      sums.push_back(getStart(code, point, pass, reduction, i));
    });
    sums = emitLoops(code, point, pass, columns, sums);
    if (!pass.inAnyOrder)
      return sums;
    SmallVector<Value> results;
    unsigned first = 0;
    for (int reduction : pass.reductions) {
      unsigned count = getReduction(reduction).inits.size();
      for (unsigned i = 0; i < count; ++i)
        results.push_back(getTotal(code, point, reduction, i,
                                   ArrayRef(sums).slice(first, count)));
      first += count;
    }
    return results;
  }

  void forEachSum(const RowPass &pass,
                  function_ref<void(int reduction, unsigned i)> callback) {
    for (int reduction : pass.reductions)
      for (unsigned i = 0; i < getReduction(reduction).inits.size(); ++i)
        callback(reduction, i);
  }

  const ProgramReduction &getReduction(int number) const {
    return program.reductions[number];
  }

  /// What a lane starts from. A maximum and its place start from the inits in
  /// each lane, which changes neither; a sum may count its init only once.
  Value getStart(KernelCode &code, PointCode &point, const RowPass &pass,
                 int number, unsigned i) {
    int init = getReduction(number).inits[i];
    if (!pass.inAnyOrder)
      return point.get(init);
    if (!llvm::is_contained(pass.followers, number))
      return getNeutralVector(code, getReduction(number), i);
    point.lanes = {int(lane), width, width};
    Value start = point.getWide(init);
    point.lanes = {};
    return start;
  }

  Value getNeutralVector(KernelCode &code, const ProgramReduction &reduction,
                         unsigned i) {
    Type element = program.nodes[reduction.inits[i]].type;
    Operation *op = program.getStep(reduction, i)->op;
    return getNeutral(code.b, code.loc, op, VectorType::get(width, element));
  }

  /// The lanes together, and the init. `sums` are those of the reduction.
  Value getTotal(KernelCode &code, PointCode &point, int number, unsigned i,
                 ArrayRef<Value> sums) {
    const ProgramReduction &reduction = getReduction(number);
    if (auto followed = program.getFollowed(reduction, i))
      return getFirstPlace(code, point, number, *followed, sums, sums[i]);
    Operation *op = program.getStep(reduction, i)->op;
    Value total = reduceLanes(code.b, code.loc, op, sums[i]);
    return point.apply(op, {point.get(reduction.inits[i]), total});
  }

  /// The least of the places in those lanes whose maximum is the whole one.
  Value getFirstPlace(KernelCode &code, PointCode &point, int number,
                      unsigned followed, ArrayRef<Value> sums, Value places) {
    OpBuilder &b = code.b;
    Value total = getTotal(code, point, number, followed, sums);
    Value isTop = arith::CmpFOp::create(
        b, code.loc, arith::CmpFPredicate::OEQ, sums[followed],
        vector::BroadcastOp::create(b, code.loc, sums[followed].getType(),
                                    total));
    unsigned bits = getElementTypeOrSelf(places).isIndex()
                        ? 64
                        : getElementTypeOrSelf(places).getIntOrFloatBitWidth();
    auto type = cast<VectorType>(places.getType());
    Value last = arith::ConstantOp::create(
        b, code.loc,
        DenseElementsAttr::get(
            type, Attribute(b.getIntegerAttr(type.getElementType(),
                                             APInt::getSignedMaxValue(bits)))));
    places = arith::SelectOp::create(b, code.loc, isTop, places, last);
    return vector::ReductionOp::create(b, code.loc,
                                       vector::CombiningKind::MINSI, places);
  }

  /// Where a maximum is NaN its place depends on the order: the row is walked
  /// again, in order.
  SmallVector<Value> repairFollowers(KernelCode &code, PointCode &point,
                                     const RowPass &pass,
                                     SmallVector<Value> results) {
    Value isNaN;
    unsigned next = 0;
    forEachSum(pass, [&](int reduction, unsigned i) {
      Value value = results[next++];
      if (!llvm::is_contained(pass.followers, reduction) ||
          program.getFollowed(getReduction(reduction), i) ||
          !isa<FloatType>(value.getType()))
        return;
      Value own = arith::CmpFOp::create(
          code.b, code.loc, arith::CmpFPredicate::UNO, value, value);
      isNaN = isNaN ? Value(arith::OrIOp::create(code.b, code.loc, isNaN, own))
                    : own;
    });
    RowPass inOrder = pass;
    inOrder.inAnyOrder = false;
    inOrder.stores.clear();
    inOrder.asserts.clear();
    inOrder.saved.clear();
    return code.choose(isNaN, results, [&] {
      point.pushScope();
      SmallVector<Value> repaired = walkPass(code, point, inOrder);
      point.popScope();
      return repaired;
    });
  }

  void bindReduced(PointCode &point, int number, unsigned i, Value value) {
    for (auto [node, entry] : llvm::enumerate(program.nodes))
      if (entry.kind == NodeKind::Reduced && entry.reduction == number &&
          entry.result == i)
        point.bind(node, value);
  }

  SmallVector<Value> emitLoops(KernelCode &code, PointCode &point,
                               const RowPass &pass, ArrayRef<unsigned> loops,
                               SmallVector<Value> sums) {
    if (loops.size() == 1)
      return pass.inAnyOrder ? emitLanes(code, point, pass, sums)
                             : emitInOrder(code, point, pass, sums);
    return code.loop(
        code.getInteger(0), code.getInteger(program.sizes[loops[0]]), 1, sums,
        [&](Value at, ValueRange now) {
          point.pushScope();
          point.position[loops[0]] = at;
          uint64_t inner = 0;
          for (unsigned loop : loops.drop_front())
            inner |= uint64_t(1) << loop;
          point.hoist(pass.roots, ~inner);
          // Each round of a long inner walk adds up on its own, so that no sum
          // has many terms.
          bool fresh = canAddInBlocks(pass) &&
                       getCount(program, loops.drop_front()) >= 16 * width;
          SmallVector<Value> next = emitLoops(
              code, point, pass, loops.drop_front(),
              fresh ? getNeutrals(code, pass) : SmallVector<Value>(now));
          if (fresh)
            next = addSums(code, pass, now, next);
          point.popScope();
          return next;
        });
  }

  SmallVector<Value> emitInOrder(KernelCode &code, PointCode &point,
                                 const RowPass &pass, ValueRange sums) {
    return code.loop(code.getInteger(0), code.getInteger(size), 1, sums,
                     [&](Value at, ValueRange now) {
                       point.position[lane] = at;
                       return emitPoint(code, point, pass, now);
                     });
  }

  /// The innermost loop, lanes at a time. A long one in blocks whose sums are
  /// added to the others', so that no sum has many terms.
  SmallVector<Value> emitLanes(KernelCode &code, PointCode &point,
                               const RowPass &pass, ValueRange sums) {
    constexpr int64_t block = 256;
    int64_t rest = size % width, even = size - rest;
    SmallVector<Value> now(sums);
    auto run = [&](Value low, Value high, ValueRange inits) {
      return code.loop(low, high, width, inits, [&](Value at, ValueRange v) {
        return emitVector(code, point, pass, at, width, v);
      });
    };
    int64_t blocks =
        sums.empty() || !pass.followers.empty() ? 0 : even / (block * width);
    if (blocks > 1)
      now =
          code.loop(code.getInteger(0), code.getInteger(blocks * block * width),
                    block * width, now, [&](Value low, ValueRange outer) {
                      Value high =
                          arith::AddIOp::create(code.b, code.loc, low,
                                                code.getInteger(block * width));
                      SmallVector<Value> fresh = getNeutrals(code, pass);
                      return addSums(code, pass, outer, run(low, high, fresh));
                    });
    else
      blocks = 0;
    if (even > blocks * block * width)
      now = run(code.getInteger(blocks * block * width), code.getInteger(even),
                now);
    if (rest)
      now = emitVector(code, point, pass, code.getInteger(even), rest, now);
    return now;
  }

  bool canAddInBlocks(const RowPass &pass) const {
    return !pass.reductions.empty() && pass.inAnyOrder &&
           pass.followers.empty();
  }

  SmallVector<Value> getNeutrals(KernelCode &code, const RowPass &pass) {
    SmallVector<Value> values;
    forEachSum(pass, [&](int number, unsigned i) {
      values.push_back(getNeutralVector(code, getReduction(number), i));
    });
    return values;
  }

  SmallVector<Value> addSums(KernelCode &code, const RowPass &pass,
                             ValueRange a, ValueRange c) {
    SmallVector<Value> sums;
    forEachSum(pass, [&](int number, unsigned i) {
      size_t k = sums.size();
      Operation *op = program.getStep(getReduction(number), i)->op;
      sums.push_back(applyOp(code.b, code.loc, op, {a[k], c[k]}, 0));
    });
    return sums;
  }

  SmallVector<Value> emitVector(KernelCode &code, PointCode &point,
                                const RowPass &pass, Value at, int64_t valid,
                                ValueRange sums) {
    point.position[lane] = at;
    point.lanes = {int(lane), width, valid};
    SmallVector<Value> next = emitPoint(code, point, pass, sums);
    point.lanes = {};
    return next;
  }

  SmallVector<Value> emitPoint(KernelCode &code, PointCode &point,
                               const RowPass &pass, ValueRange sums) {
    point.pushScope();
    for (int node : pass.loaded)
      point.bind(node, point.loadRow(buffers[node], program.nodes[node].type,
                                     getColumn(code, point)));
    for (const ProgramAssert *check : pass.asserts)
      point.check(*check);
    SmallVector<Value> next = updateSums(code, point, pass, sums);
    SmallVector<Value> values;
    for (const ProgramStore *store : pass.stores)
      values.push_back(point.get(store->node));
    for (int node : pass.saved)
      point.storeRow(buffers[node], point.get(node), getColumn(code, point));
    for (auto [store, value] : llvm::zip_equal(pass.stores, values))
      point.store(*store, code.outputs[store->output], value);
    point.popScope();
    return next;
  }

  SmallVector<Value> updateSums(KernelCode &code, PointCode &point,
                                const RowPass &pass, ValueRange sums) {
    if (!pass.inAnyOrder)
      return updateInOrder(point, pass, sums);
    bindSums(point, pass, sums);
    SmallVector<Value> next;
    Value mask = point.getMask(point.lanes.width, point.lanes.valid);
    forEachSum(pass, [&](int number, unsigned i) {
      const ProgramReduction &reduction = getReduction(number);
      Value before = sums[next.size()];
      auto step = program.getStep(reduction, i);
      Value after =
          step ? point.apply(step->op, {before, point.getWide(step->value)})
               : point.getWide(reduction.updates[i]);
      if (mask)
        after = arith::SelectOp::create(code.b, code.loc, mask, after, before);
      next.push_back(after);
    });
    return next;
  }

  void bindSums(PointCode &point, const RowPass &pass, ValueRange sums) {
    unsigned first = 0;
    for (int number : pass.reductions) {
      for (auto [i, node] : llvm::enumerate(program.nodes))
        if (node.kind == NodeKind::Accumulator && node.reduction == number)
          point.bind(i, sums[first + node.result]);
      first += getReduction(number).inits.size();
    }
  }

  SmallVector<Value> updateInOrder(PointCode &point, const RowPass &pass,
                                   ValueRange sums) {
    bindSums(point, pass, sums);
    SmallVector<Value> next;
    for (int number : pass.reductions)
      for (int update : getReduction(number).updates)
        next.push_back(point.get(update));
    return next;
  }

  const KernelProgram &program;
  RowPlan plan;
  SmallVector<unsigned> rows, columns;
  unsigned lane;
  int64_t size, width;
  llvm::DenseMap<int, Value> buffers;
};
} // namespace

std::unique_ptr<KernelWalk> memopt::walkRows(const KernelProgram &program) {
  return std::make_unique<RowWalk>(program);
}
