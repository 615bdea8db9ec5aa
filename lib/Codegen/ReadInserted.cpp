//===- ReadInserted.cpp - elements of what is inserted into ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ElementReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

/// Sizes and strides are static, offsets may be computed.
static bool hasKnownShape(tensor::InsertSliceOp op) {
  return !ShapedType::isDynamicShape(op.getStaticSizes()) &&
         !ShapedType::isDynamicShape(op.getStaticStrides()) &&
         llvm::all_of(op.getStaticStrides(),
                      [](int64_t stride) { return stride > 0; });
}

FailureOr<Value> ElementReader::readInserted(tensor::InsertSliceOp op,
                                             ArrayRef<Value> indices) {
  if (!hasKnownShape(op))
    return refuse(op);
  IndexCode math{b, loc};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  llvm::DenseMap<Value, Value> proved = equal;
  Indices at;
  auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    inside = arith::AndIOp::create(b, loc, inside, holds);
  };
  for (unsigned i = 0; i < indices.size(); ++i) {
    int64_t size = op.getStaticSizes()[i], stride = op.getStaticStrides()[i];
    FailureOr<Value> offset = readFold(op.getMixedOffsets()[i]);
    if (failed(offset))
      return failure();
    Value from = b.createOrFold<arith::SubIOp>(loc, indices[i], *offset);
    if (size == 1) {
      require(arith::CmpIPredicate::eq, indices[i], *offset);
      proved[*offset] = indices[i];
    } else {
      require(arith::CmpIPredicate::sge, indices[i], *offset);
      require(arith::CmpIPredicate::slt, from,
              math.constant((size - 1) * stride + 1));
      if (stride != 1)
        require(arith::CmpIPredicate::eq, math.remainder(from, stride),
                math.constant(0));
    }
    if (!dropped[i])
      at.push_back(math.divide(from, stride));
  }
  return choose(
      op.getType().getElementType(), inside,
      [&] {
        std::swap(equal, proved);
        FailureOr<Value> value = read(op.getSource(), at);
        std::swap(equal, proved);
        return value;
      },
      [&] { return read(op.getDest(), indices); });
}

FailureOr<Value> ElementReader::readInserted(tensor::InsertOp op,
                                             ArrayRef<Value> indices) {
  Value here = arith::ConstantIntOp::create(b, loc, 1, 1);
  llvm::DenseMap<Value, Value> proved = equal;
  for (auto [index, place] : llvm::zip(indices, op.getIndices())) {
    FailureOr<Value> at = readScalar(place);
    if (failed(at))
      return failure();
    Value isEqual =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, *at);
    here = arith::AndIOp::create(b, loc, here, isEqual);
    proved[*at] = index;
  }
  return choose(
      op.getType().getElementType(), here,
      [&] {
        std::swap(equal, proved);
        FailureOr<Value> value = readScalar(op.getScalar());
        std::swap(equal, proved);
        return value;
      },
      [&] { return read(op.getDest(), indices); });
}
