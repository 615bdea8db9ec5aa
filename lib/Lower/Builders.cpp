//===- Builders.cpp - generics and scalar arithmetic ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

Type memopt::getComputeTypeOf(ValueRange values) {
  Type widest;
  for (Value value : values) {
    Type type = getComputeType(getElementTypeOrSelf(value.getType()));
    if (!widest || type.isF64())
      widest = type;
  }
  return widest;
}

Value memopt::convert(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  if (from > to)
    return arith::TruncFOp::create(b, type, value);
  return value;
}

Value memopt::constant(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value memopt::integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value memopt::empty(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

/// Moves the constants of a body in front of its op, each once: the same
/// thresholds and shifts come up in it again and again.
static void hoistConstants(linalg::GenericOp generic) {
  llvm::DenseMap<Attribute, Value> hoisted;
  for (Operation &op : llvm::make_early_inc_range(*generic.getBody())) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant)
      continue;
    auto [entry, isNew] =
        hoisted.try_emplace(constant.getValue(), constant.getResult());
    if (isNew) {
      constant->moveBefore(generic);
      continue;
    }
    constant.replaceAllUsesWith(entry->second);
    constant.erase();
  }
}

/// A generic with one result; the element type of `init` is what `body` yields.
static Value buildGeneric(ImplicitLocOpBuilder &b, ArrayRef<Operand> operands,
                          Value init, AffineMap resultMap, Body body) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : operands) {
    tensors.push_back(operand.tensor);
    maps.push_back(operand.map);
  }
  maps.push_back(resultMap);
  SmallVector<utils::IteratorType> iterators(resultMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : resultMap.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      b, TypeRange(init.getType()), tensors, ValueRange(init), maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, args));
      });
  hoistConstants(generic);
  return generic.getResult(0);
}

Value memopt::buildParallel(ImplicitLocOpBuilder &b, ArrayRef<Operand> operands,
                            ArrayRef<OpFoldResult> sizes, Type element,
                            Body body) {
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  return buildGeneric(b, operands, empty(b, sizes, element), identity,
                      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                        return body(inner, args.drop_back());
                      });
}

/// `args` with the floats among them converted to `compute`.
static SmallVector<Value> convertAll(ImplicitLocOpBuilder &b, ValueRange args,
                                     Type compute) {
  SmallVector<Value> converted;
  for (Value arg : args)
    converted.push_back(isa<FloatType>(arg.getType()) ? convert(b, arg, compute)
                                                      : arg);
  return converted;
}

Value memopt::buildElementwise(ImplicitLocOpBuilder &b, ValueRange operands,
                               Type compute, Type element, Body body) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), operands.front());
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<Operand> reads;
  for (Value operand : operands)
    reads.push_back({operand, identity});
  return buildParallel(
      b, reads, sizes, element,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        return convert(inner, body(inner, convertAll(inner, args, compute)),
                       element);
      });
}

/// A tensor of `sizes` filled with the scalar `value`.
static Value fill(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Value value) {
  Value init = empty(b, sizes, value.getType());
  return linalg::FillOp::create(b, ValueRange(value), ValueRange(init))
      .getResult(0);
}

Value memopt::buildSum(ImplicitLocOpBuilder &b, ArrayRef<Operand> operands,
                       AffineMap resultMap, ArrayRef<OpFoldResult> sizes,
                       Type compute, Body body) {
  return buildGeneric(
      b, operands, fill(b, sizes, constant(b, compute, 0)), resultMap,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value term = body(inner, convertAll(inner, args.drop_back(), compute));
        return arith::AddFOp::create(inner, args.back(), term);
      });
}

Value memopt::buildOr(ImplicitLocOpBuilder &b, ArrayRef<Operand> operands,
                      AffineMap resultMap, ArrayRef<OpFoldResult> sizes,
                      Body body) {
  return buildGeneric(
      b, operands, fill(b, sizes, integer(b, b.getI8Type(), 0)), resultMap,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value byte = body(inner, args.drop_back());
        return arith::OrIOp::create(inner, args.back(), byte);
      });
}
