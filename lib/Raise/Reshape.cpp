//===- Reshape.cpp - a tensor under another shape -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace memopt::raising;

/// The finest shape that both shapes can be collapsed to, with the dimensions
/// of each that make up one of its own. Empty for tensors of one element.
static SmallVector<int64_t>
commonShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
            SmallVector<ReassociationIndices> &groupsOfA,
            SmallVector<ReassociationIndices> &groupsOfB) {
  SmallVector<int64_t> common;
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    int64_t left = a[i], right = b[j];
    ReassociationIndices ofA = {int64_t(i++)}, ofB = {int64_t(j++)};
    while (left != right)
      if (left < right && i < a.size()) {
        left *= a[i];
        ofA.push_back(i++);
      } else if (j < b.size()) {
        right *= b[j];
        ofB.push_back(j++);
      } else {
        break;
      }
    common.push_back(left);
    groupsOfA.push_back(ofA);
    groupsOfB.push_back(ofB);
  }
  if (common.empty())
    return common;
  // Trailing unit dimensions belong to the last group.
  for (; i < a.size(); ++i)
    groupsOfA.back().push_back(i);
  for (; j < b.size(); ++j)
    groupsOfB.back().push_back(j);
  return common;
}

Value memopt::raising::createReshape(OpBuilder &builder, Location loc,
                                     Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<ReassociationIndices> collapse, expand;
  SmallVector<int64_t> common =
      commonShape(type.getShape(), shape, collapse, expand);
  auto withShape = [&](ArrayRef<int64_t> dims) {
    return RankedTensorType::get(dims, type.getElementType());
  };
  if (type.getShape() != ArrayRef<int64_t>(common))
    value = tensor::CollapseShapeOp::create(builder, loc, withShape(common),
                                            value, collapse);
  if (ArrayRef<int64_t>(common) != shape)
    value = tensor::ExpandShapeOp::create(builder, loc, withShape(shape), value,
                                          expand);
  return value;
}
