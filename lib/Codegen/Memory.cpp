//===- Memory.cpp - elements in memory ------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Type memopt::getMemoryType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return withElement(type, IntegerType::get(type.getContext(), 64));
  if (element.isInteger(1))
    return withElement(type, IntegerType::get(type.getContext(), 8));
  return type;
}

int64_t memopt::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(getMemoryType(type));
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value memopt::getElementAddress(OpBuilder &b, Location loc, Value buffer,
                                Type element, Value offset) {
  return LLVM::GEPOp::create(b, loc, buffer.getType(),
                             getElementTypeOrSelf(getMemoryType(element)),
                             buffer, ArrayRef<LLVM::GEPArg>{offset});
}

Value memopt::toMemory(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), memory = getMemoryType(type);
  if (type == memory)
    return value;
  if (getElementTypeOrSelf(type).isIndex())
    return arith::IndexCastOp::create(b, loc, memory, value);
  return arith::ExtUIOp::create(b, loc, memory, value);
}

/// Any byte but 0 is true, as in C.
Value memopt::fromMemory(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (getElementTypeOrSelf(type).isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value memopt::loadElement(OpBuilder &b, Location loc, Type type, Value address,
                          int64_t alignment) {
  Value value =
      LLVM::LoadOp::create(b, loc, getMemoryType(type), address,
                           alignment ? alignment : getElementBytes(type));
  return fromMemory(b, loc, value, type);
}

void memopt::storeElement(OpBuilder &b, Location loc, Value value,
                          Value address, int64_t alignment) {
  if (!alignment)
    alignment = getElementBytes(value.getType());
  LLVM::StoreOp::create(b, loc, toMemory(b, loc, value), address, alignment);
}
