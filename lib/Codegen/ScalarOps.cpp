//===- ScalarOps.cpp - scalar operations on numbers and vectors -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ScalarOps.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

Type memopt::withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value memopt::loadNumber(OpBuilder &b, Location loc, Value address, Type type) {
  return loadElement(b, loc, type, address);
}

Value memopt::getConstant(OpBuilder &b, Location loc, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : b.getIntegerAttr(element, int64_t(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

//===----------------------------------------------------------------------===//
// bf16
//===----------------------------------------------------------------------===//

Value memopt::extendFromBF16(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  Type word = withElement(type, b.getI32Type());
  Value bits = arith::BitcastOp::create(
      b, loc, withElement(type, b.getI16Type()), value);
  bits = arith::ExtUIOp::create(b, loc, word, bits);
  bits = arith::ShLIOp::create(b, loc, bits, getConstant(b, loc, word, 16));
  return arith::BitcastOp::create(b, loc, withElement(type, b.getF32Type()),
                                  bits);
}

/// bits + 0x7fff + (the last bit that stays), then the upper half; a NaN stays
/// a quiet one.
Value memopt::roundToBF16(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  Type word = withElement(type, b.getI32Type());
  auto constant = [&](int64_t x) { return getConstant(b, loc, word, x); };
  Value bits = arith::BitcastOp::create(b, loc, word, value);
  Value upper = arith::ShRUIOp::create(b, loc, bits, constant(16));
  Value odd = arith::AndIOp::create(b, loc, upper, constant(1));
  Value bias = arith::AddIOp::create(b, loc, odd, constant(0x7fff));
  Value rounded = arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, bias), constant(16));
  Value quiet = arith::OrIOp::create(b, loc, upper, constant(0x40));
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value result = arith::SelectOp::create(b, loc, isNaN, quiet, rounded);
  result = arith::TruncIOp::create(b, loc, withElement(type, b.getI16Type()),
                                   result);
  return arith::BitcastOp::create(b, loc, withElement(type, b.getBF16Type()),
                                  result);
}

static bool isHalf(Type type) {
  return isa<BFloat16Type, Float16Type>(getElementTypeOrSelf(type));
}

static Value extendHalf(OpBuilder &b, Location loc, Value value) {
  if (isa<BFloat16Type>(getElementTypeOrSelf(value)))
    return extendFromBF16(b, loc, value);
  return arith::ExtFOp::create(
      b, loc, withElement(value.getType(), b.getF32Type()), value);
}

static Value roundToHalf(OpBuilder &b, Location loc, Value value,
                         Type element) {
  if (isa<BFloat16Type>(element))
    return roundToBF16(b, loc, value);
  return arith::TruncFOp::create(b, loc, withElement(value.getType(), element),
                                 value);
}

Value memopt::convertFloat(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isBF16())
    value = extendFromBF16(b, loc, value);
  if (value.getType() == type)
    return value;
  // Through f32, which holds every f16; from f64 that is one rounding more than
  // needed, so bf16 is never made of it.
  if (type.isBF16() && value.getType().isF32())
    return roundToBF16(b, loc, value);
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Any op
//===----------------------------------------------------------------------===//

static Value create(OpBuilder &b, Location loc, Operation *op,
                    ArrayRef<Value> operands, ArrayRef<Type> types,
                    unsigned result) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getAttrDictionary().getValue());
  return b.create(state)->getResult(result);
}

/// The types of the results of `op` on vectors like `like`, halves as f32 where
/// `extended`.
static SmallVector<Type> getResultTypes(OpBuilder &b, Operation *op, Type like,
                                        bool extended) {
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (extended && isHalf(element))
      element = b.getF32Type();
    types.push_back(withElement(like, element));
  }
  return types;
}

/// Conversions from and to halves go through f32.
static Value convertHalf(OpBuilder &b, Location loc, Operation *op,
                         Value operand) {
  Type from = getElementTypeOrSelf(operand);
  Type to = getElementTypeOrSelf(op->getResult(0));
  Value value = isHalf(from) ? extendHalf(b, loc, operand) : operand;
  Type between = isHalf(to) ? b.getF32Type() : to;
  Type type = withElement(value.getType(), between);
  if (value.getType() != type) {
    Type now = getElementTypeOrSelf(value);
    if (isa<FloatType>(now) && isa<FloatType>(between))
      value = now.getIntOrFloatBitWidth() < between.getIntOrFloatBitWidth()
                  ? Value(arith::ExtFOp::create(b, loc, type, value))
                  : Value(arith::TruncFOp::create(b, loc, type, value));
    else
      value = create(b, loc, op, value, type, 0);
  }
  return isHalf(to) ? roundToHalf(b, loc, value, to) : value;
}

Value memopt::applyOp(OpBuilder &b, Location loc, Operation *op,
                      ArrayRef<Value> operands, unsigned result) {
  Type like = operands.empty() ? Type() : operands[0].getType();
  // A select's condition may be of the same width only.
  bool halves =
      llvm::any_of(operands, [](Value v) { return isHalf(v.getType()); }) ||
      llvm::any_of(op->getResultTypes(), isHalf);
  bool moves = isa<arith::SelectOp, arith::BitcastOp>(op);
  if (!halves || moves)
    return create(b, loc, op, operands, getResultTypes(b, op, like, false),
                  result);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::FPToSIOp, arith::FPToUIOp>(op))
    return convertHalf(b, loc, op, operands[0]);
  SmallVector<Value> extended;
  for (Value operand : operands)
    extended.push_back(isHalf(operand.getType()) ? extendHalf(b, loc, operand)
                                                 : operand);
  Value value =
      create(b, loc, op, extended, getResultTypes(b, op, like, true), result);
  Type element = getElementTypeOrSelf(op->getResult(result));
  return isHalf(element) ? roundToHalf(b, loc, value, element) : value;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static TypedAttr getNeutralInteger(OpBuilder &b, Operation *op, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt value =
      TypeSwitch<Operation *, APInt>(op)
          .Case([&](arith::MulIOp) { return APInt(width, 1); })
          .Case<arith::AndIOp, arith::MinUIOp>(
              [&](auto) { return APInt::getAllOnes(width); })
          .Case([&](arith::MaxSIOp) { return APInt::getSignedMinValue(width); })
          .Case([&](arith::MinSIOp) { return APInt::getSignedMaxValue(width); })
          .Default([&](Operation *) { return APInt::getZero(width); });
  return b.getIntegerAttr(type, value);
}

static TypedAttr getNeutralFloat(OpBuilder &b, Operation *op, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat value =
      TypeSwitch<Operation *, APFloat>(op)
          .Case([&](arith::MulFOp) { return APFloat::getOne(semantics); })
          .Case([&](arith::MaximumFOp) {
            return APFloat::getInf(semantics, /*Negative=*/true);
          })
          .Case([&](arith::MinimumFOp) { return APFloat::getInf(semantics); })
          // maxnum and minnum give the other operand.
          .Case<arith::MaxNumFOp, arith::MinNumFOp>(
              [&](auto) { return APFloat::getNaN(semantics); })
          .Default([&](Operation *) {
            return APFloat::getZero(semantics, /*Negative=*/true);
          });
  return b.getFloatAttr(type, value);
}

Value memopt::getNeutral(OpBuilder &b, Location loc, Operation *op, Type type) {
  Type element = getElementTypeOrSelf(type);
  auto real = dyn_cast<FloatType>(element);
  TypedAttr value =
      real ? getNeutralFloat(b, op, real) : getNeutralInteger(b, op, element);
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value memopt::reduceLanes(OpBuilder &b, Location loc, Operation *op,
                          Value value) {
  auto type = cast<VectorType>(value.getType());
  for (int64_t width = type.getNumElements() / 2; width >= 1; width /= 2) {
    SmallVector<int64_t> low(llvm::to_vector(llvm::seq<int64_t>(0, width)));
    SmallVector<int64_t> high(
        llvm::to_vector(llvm::seq<int64_t>(width, 2 * width)));
    Value a = vector::ShuffleOp::create(b, loc, value, value, low);
    Value c = vector::ShuffleOp::create(b, loc, value, value, high);
    value = applyOp(b, loc, op, {a, c}, 0);
  }
  return vector::ExtractOp::create(b, loc, value, int64_t(0));
}
