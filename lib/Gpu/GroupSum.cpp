//===- GroupSum.cpp - sums over the threads of a row ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupSum.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

Value memopt::makeShared(OpBuilder &b, Location loc, StringRef name,
                         Type element, int64_t count) {
  Operation *inside = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(inside);
  if (!function)
    function = inside->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder outside(function);
  auto type = LLVM::LLVMArrayType::get(getMemoryType(element), count);
  auto global = LLVM::GlobalOp::create(
      outside, loc, type, /*isConstant=*/false, LLVM::Linkage::Internal,
      (function.getName() + "_" + name).str(),
      LLVM::UndefAttr::get(b.getContext()), /*alignment=*/16, sharedSpace);
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// Butterfly over lanes: each adds what the lane has that differs in one bit.
static Value addWarp(KernelCode &code, const GroupSum &sum, int64_t lanes) {
  ThreadCode threads{code.b, code.loc};
  Value total = sum.part;
  for (int64_t mask = lanes / 2; mask >= 1; mask /= 2)
    total = applyOp(code.b, code.loc, sum.op,
                    {total, threads.exchange(total, mask)}, 0);
  return total;
}

SmallVector<Value> memopt::addGroup(KernelCode &code, StringRef name,
                                    ArrayRef<GroupSum> sums, int64_t group,
                                    int64_t groups) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Value> totals;
  for (const GroupSum &sum : sums)
    totals.push_back(addWarp(code, sum, std::min(group, warpSize)));
  if (group <= warpSize || sums.empty())
    return totals;
  // A slot a warp; every thread adds those of its group up, in the same order.
  ThreadCode threads{b, loc};
  Value thread = threads.getThread(), size = code.getInteger(warpSize);
  Value warp = arith::DivUIOp::create(b, loc, thread, size);
  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, loc, thread, size), code.getInteger(0));
  int64_t warps = group / warpSize;
  SmallVector<Value> places;
  for (auto [i, total] : llvm::enumerate(totals))
    places.push_back(makeShared(b, loc, (name + "_" + Twine(i)).str(),
                                total.getType(), groups * warps));
  code.when(isFirst, [&] {
    for (auto [place, total] : llvm::zip_equal(places, totals))
      storeElement(b, loc, total,
                   getElementAddress(b, loc, place, total.getType(), warp));
  });
  threads.synchronize();
  Value first;
  if (groups > 1)
    first = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, thread, code.getInteger(group)),
        code.getInteger(warps));
  for (size_t i = 0; i < sums.size(); ++i) {
    Type type = totals[i].getType();
    Value total;
    for (int64_t w = 0; w < warps; ++w) {
      Value slot = code.getInteger(w);
      if (first)
        slot = arith::AddIOp::create(b, loc, first, slot);
      Value part = loadElement(
          b, loc, type, getElementAddress(b, loc, places[i], type, slot));
      total = total ? applyOp(b, loc, sums[i].op, {total, part}, 0) : part;
    }
    totals[i] = total;
  }
  return totals;
}

SmallVector<Value> memopt::addAbove(KernelCode &code, ArrayRef<GroupSum> sums,
                                    ArrayRef<Value> places,
                                    const ThreadRows &grid) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  SmallVector<Value> totals;
  for (const GroupSum &sum : sums)
    totals.push_back(sum.part);
  auto getBoundary = [&](unsigned i) {
    auto type = cast<VectorType>(totals[i].getType());
    int64_t bytes =
        type.getNumElements() * getElementBytes(type.getElementType());
    return std::min<int64_t>(16, bytes);
  };
  auto getPlace = [&](unsigned i, Value row) {
    auto type = cast<VectorType>(totals[i].getType());
    Value at = arith::MulIOp::create(b, loc, row, code.getInteger(grid.across));
    at = arith::AddIOp::create(b, loc, at, grid.column);
    at = arith::MulIOp::create(b, loc, at,
                               code.getInteger(type.getNumElements()));
    return getElementAddress(b, loc, places[i], type.getElementType(), at);
  };
  for (unsigned i = 0; i < sums.size(); ++i)
    storeElement(b, loc, totals[i], getPlace(i, grid.row), getBoundary(i));
  for (int64_t half = grid.down / 2; half >= 1; half /= 2) {
    ThreadCode{b, loc}.synchronize();
    Value isUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          grid.row, code.getInteger(half));
    totals = code.choose(isUpper, totals, [&] {
      SmallVector<Value> next;
      Value below =
          arith::AddIOp::create(b, loc, grid.row, code.getInteger(half));
      for (unsigned i = 0; i < sums.size(); ++i) {
        Value other = loadElement(b, loc, totals[i].getType(),
                                  getPlace(i, below), getBoundary(i));
        next.push_back(applyOp(b, loc, sums[i].op, {totals[i], other}, 0));
        if (half > 1)
          storeElement(b, loc, next.back(), getPlace(i, grid.row),
                       getBoundary(i));
      }
      return next;
    });
  }
  return totals;
}
