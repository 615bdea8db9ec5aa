//===- IterationSpace.cpp - how a body's operands are read ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt::raising;

/// The loops a map reads, those of extent 1 and zero constants left out; none
/// for maps of any other form.
std::optional<IterationSpace::Dims>
IterationSpace::dimsOf(AffineMap map) const {
  Dims dims;
  for (AffineExpr result : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(result)) {
      if (extents[dim.getPosition()] != 1)
        dims.push_back(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(result);
    if (!constant || constant.getValue() != 0)
      return std::nullopt;
  }
  return dims;
}

bool IterationSpace::startsWith(const Dims &dims) const {
  return dims.size() < order.size() &&
         std::equal(dims.begin(), dims.end(), order.begin());
}

bool IterationSpace::endsWith(const Dims &dims) const {
  return dims.size() < order.size() &&
         std::equal(dims.begin(), dims.end(), order.end() - dims.size());
}

bool IterationSpace::reducesRows() const {
  return !isElementwise() && startsWith(output);
}

bool IterationSpace::reducesColumns() const {
  return !isElementwise() && !output.empty() && endsWith(output);
}

std::optional<IterationSpace> IterationSpace::create(linalg::LinalgOp op) {
  IterationSpace space;
  space.extents = op.getStaticLoopRanges();
  unsigned loops = 0;
  for (int64_t extent : space.extents) {
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(space.count, extent, space.count))
      return std::nullopt;
    loops += extent != 1;
  }
  space.maps.assign(op.getIndexingMapsArray());
  ArrayRef<AffineMap> maps = space.maps;
  unsigned numInputs = op.getNumDpsInputs();
  std::optional<Dims> output = space.dimsOf(maps[numInputs]);
  if (!output)
    return std::nullopt;
  space.output = *output;
  for (AffineMap map : maps.drop_front(numInputs))
    if (space.dimsOf(map) != output)
      return std::nullopt;
  space.order = space.output;
  if (space.output.size() != loops)
    for (AffineMap map : maps.take_front(numInputs))
      if (std::optional<Dims> dims = space.dimsOf(map);
          dims && dims->size() > space.order.size())
        space.order = *dims;
  llvm::SmallSet<unsigned, 8> distinct;
  distinct.insert(space.order.begin(), space.order.end());
  if (space.order.size() != loops || distinct.size() != loops)
    return std::nullopt;
  return space;
}

Operand IterationSpace::access(unsigned index) const {
  Operand operand;
  std::optional<Dims> dims = dimsOf(maps[index]);
  if (!dims) {
    operand.access = Access::Other;
    return operand;
  }
  if (*dims == order)
    return operand;
  if (dims->empty()) {
    operand.access = Access::Scalar;
    return operand;
  }
  if (startsWith(*dims)) {
    operand.access = Access::RowBroadcast;
    for (unsigned dim : ArrayRef(order).drop_front(dims->size()))
      operand.period *= extents[dim];
    return operand;
  }
  operand.access = Access::Other;
  if (endsWith(*dims)) {
    operand.access = Access::ColumnBroadcast;
    for (unsigned dim : *dims)
      operand.period *= extents[dim];
  }
  return operand;
}
