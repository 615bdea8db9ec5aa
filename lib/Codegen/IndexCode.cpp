//===- IndexCode.cpp - arithmetic on indices ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/IndexCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace memopt;

static bool isConstant(Value x, int64_t value) {
  return getConstantIntValue(x) == value;
}

Value IndexCode::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value IndexCode::add(Value x, Value y) {
  if (isConstant(x, 0))
    return y;
  if (isConstant(y, 0))
    return x;
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value IndexCode::multiply(Value x, int64_t y) {
  if (y == 1)
    return x;
  return y == 0 ? constant(0)
                : b.createOrFold<arith::MulIOp>(loc, x, constant(y));
}

Value IndexCode::divide(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, constant(y));
}

Value IndexCode::remainder(Value x, int64_t y) {
  return y == 1 ? constant(0)
                : b.createOrFold<arith::RemUIOp>(loc, x, constant(y));
}

Value IndexCode::toI64(Value x) {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), x);
}

Value IndexCode::isWithin(Value x, int64_t low, int64_t high) {
  Value above = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, x,
                                      constant(low));
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x,
                                      constant(high));
  return arith::AndIOp::create(b, loc, above, below);
}

Value IndexCode::linearize(ArrayRef<Value> indices, ArrayRef<int64_t> shape) {
  Value number = constant(0);
  for (auto [index, size] : llvm::zip(indices, shape))
    number = add(multiply(number, size), index);
  return number;
}

Indices IndexCode::delinearize(Value number, ArrayRef<int64_t> shape) {
  Indices indices(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    bool isFirst = llvm::all_of(shape.take_front(i),
                                [](int64_t size) { return size == 1; });
    indices[i] = shape[i] == 1 ? constant(0)
                 : isFirst     ? number
                               : remainder(number, shape[i]);
    if (!isFirst && shape[i] != 1)
      number = divide(number, shape[i]);
  }
  return indices;
}

Indices IndexCode::reshape(ArrayRef<Value> indices, ArrayRef<int64_t> from,
                           ArrayRef<int64_t> to) {
  Indices result;
  size_t i = 0, j = 0;
  // Groups of dimensions with equal products, from the outer end.
  while (i < from.size() || j < to.size()) {
    size_t firstI = i, firstJ = j;
    int64_t fromSize = 1, toSize = 1;
    if (i < from.size())
      fromSize = from[i++];
    if (j < to.size())
      toSize = to[j++];
    while (fromSize != toSize && (i < from.size() || j < to.size())) {
      if (fromSize < toSize ? i < from.size() : j >= to.size())
        fromSize *= from[i++];
      else
        toSize *= to[j++];
    }
    ArrayRef<Value> group = indices.slice(firstI, i - firstI);
    llvm::append_range(
        result,
        i - firstI == 1 && j - firstJ == 1
            ? Indices(group)
            : delinearize(linearize(group, from.slice(firstI, i - firstI)),
                          to.slice(firstJ, j - firstJ)));
  }
  return result;
}
