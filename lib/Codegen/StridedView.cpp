//===- StridedView.cpp - tensors as strides over a storage ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/StridedView.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

void memopt::addFactor(Factors &factors, Factor factor) {
  if (factor.size == 1)
    return;
  if (!factors.empty() && factors.back().stride == factor.size * factor.stride)
    factors.back() = {factors.back().size * factor.size, factor.stride};
  else
    factors.push_back(factor);
}

/// Takes loops of `size` points together off the inner end of `rest`.
static std::optional<Factors> takeInner(Factors &rest, int64_t size) {
  SmallVector<Factor> taken; // the inner one first
  while (size != 1) {
    if (rest.empty())
      return std::nullopt;
    Factor &inner = rest.back();
    if (size % inner.size == 0) {
      size /= inner.size;
      taken.push_back(rest.pop_back_val());
    } else if (inner.size % size == 0) {
      taken.push_back({size, inner.stride});
      inner = {inner.size / size, inner.stride * size};
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  Factors factors;
  for (Factor factor : llvm::reverse(taken))
    addFactor(factors, factor);
  return factors;
}

std::optional<SmallVector<Factors>>
memopt::splitFactors(const Factors &factors, ArrayRef<int64_t> sizes) {
  Factors rest = factors;
  SmallVector<Factors> dims(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    std::optional<Factors> dim = takeInner(rest, sizes[i]);
    if (!dim)
      return std::nullopt;
    dims[i] = std::move(*dim);
  }
  return dims;
}

std::optional<SmallVector<CommonLoop>>
memopt::refineFactors(ArrayRef<Factors> operands) {
  SmallVector<Factors> rest(operands);
  SmallVector<CommonLoop> loops; // the inner one first
  while (!rest.front().empty()) {
    int64_t size = rest.front().back().size;
    for (const Factors &factors : rest)
      size = std::min(size, factors.empty() ? 1 : factors.back().size);
    CommonLoop loop{size, {}};
    for (Factors &factors : rest) {
      std::optional<Factors> inner = takeInner(factors, size);
      if (size == 1 || !inner)
        return std::nullopt;
      loop.strides.push_back(inner->front().stride);
    }
    loops.push_back(loop);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

SmallVector<Factors> memopt::getRowMajorFactors(ArrayRef<int64_t> shape) {
  SmallVector<Factors> dims(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    addFactor(dims[i], {shape[i], stride});
  return dims;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static RankedTensorType getType(Value tensor) {
  return dyn_cast<RankedTensorType>(tensor.getType());
}

/// The dimensions of `view`, whose groups are the dimensions of the source.
static bool expand(StridedView &view, tensor::ExpandShapeOp op) {
  SmallVector<Factors> dims;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (auto [dim, group] : llvm::zip(view.dims, op.getReassociationIndices())) {
    SmallVector<int64_t> sizes;
    for (int64_t i : group)
      sizes.push_back(shape[i]);
    std::optional<SmallVector<Factors>> parts = splitFactors(dim, sizes);
    if (!parts)
      return false;
    llvm::append_range(dims, *parts);
  }
  // A source of rank 0 has no groups.
  dims.resize(shape.size());
  view.dims = std::move(dims);
  return true;
}

static bool collapse(StridedView &view, tensor::CollapseShapeOp op) {
  SmallVector<Factors> dims;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Factors &joined = dims.emplace_back();
    for (int64_t i : group)
      for (Factor factor : view.dims[i])
        addFactor(joined, factor);
  }
  view.dims = std::move(dims);
  return true;
}

static bool slice(StridedView &view, tensor::ExtractSliceOp op) {
  SmallVector<Factors> dims;
  ArrayRef<int64_t> shape = op.getSourceType().getShape();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t i = 0; i < view.dims.size(); ++i) {
    int64_t offset = op.getStaticOffsets()[i], size = op.getStaticSizes()[i],
            stride = op.getStaticStrides()[i];
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(stride))
      return false;
    Factors factors = view.dims[i];
    if (size != shape[i]) {
      if (factors.size() != 1)
        return false;
      view.offset += offset * factors.front().stride;
      Factor kept{size, stride * factors.front().stride};
      factors.clear();
      addFactor(factors, kept);
    }
    if (!dropped[i])
      dims.push_back(std::move(factors));
  }
  view.dims = std::move(dims);
  return true;
}

/// A linalg op that hands on its source: its result's dimensions are loops,
/// which the source sees through its own map, or not at all.
static bool permute(StridedView &view, linalg::LinalgOp op, OpResult result) {
  unsigned number = result.getResultNumber();
  OpOperand *init = op.getDpsInitOperand(number);
  auto yielded =
      cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(number));
  OpOperand *input = op.getDpsInputOperand(yielded.getArgNumber());
  AffineMap from = op.getMatchingIndexingMap(input);
  SmallVector<std::optional<Factors>> byLoop(op.getNumLoops());
  for (auto [i, expr] : llvm::enumerate(from.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() != 0 && view.dims[i].size() != 1)
        return false;
      if (constant.getValue() != 0)
        view.offset += constant.getValue() * view.dims[i].front().stride;
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || byLoop[loop.getPosition()])
      return false;
    byLoop[loop.getPosition()] = view.dims[i];
  }
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<Factors> dims;
  for (AffineExpr expr : op.getMatchingIndexingMap(init).getResults()) {
    Factors &dim = dims.emplace_back();
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return false;
    if (byLoop[loop.getPosition()])
      dim = *byLoop[loop.getPosition()];
    else
      addFactor(dim, {ranges[loop.getPosition()], 0});
  }
  view.dims = std::move(dims);
  return true;
}

/// The source of an op that only widens floats, point by point and in place.
static Value getExtended(Operation *op) {
  if (isa<arith::ExtFOp>(op))
    return op->getOperand(0);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 1 ||
      linalgOp.getNumDpsInits() != 1 ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops() ||
      !llvm::all_of(linalgOp.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  Value yielded = linalgOp.getBlock()->getTerminator()->getOperand(0);
  auto extension = yielded.getDefiningOp<arith::ExtFOp>();
  return extension && extension.getIn() == linalgOp.getBlock()->getArgument(0)
             ? linalgOp.getDpsInputOperand(0)->get()
             : Value();
}

/// The one number that all elements are.
static Value getSplat(Operation *op) {
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.value();
  return {};
}

static std::optional<StridedView> getRoot(Value tensor) {
  StridedView view;
  view.base = tensor;
  ArrayRef<int64_t> shape = getType(tensor).getShape();
  Operation *op = tensor.getDefiningOp();
  if (!op) {
    view.dims = getRowMajorFactors(shape);
    return view;
  }
  bool isSplat = true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    isSplat = elements.isSplat();
  } else if (Value scalar = getSplat(op)) {
    view.base = scalar;
  } else {
    return std::nullopt;
  }
  view.dims = getRowMajorFactors(shape);
  if (isSplat)
    for (Factors &dim : view.dims)
      for (Factor &factor : dim)
        factor.stride = 0;
  return view;
}

std::optional<StridedView> memopt::getStridedView(Value tensor,
                                                  bool throughExtensions) {
  RankedTensorType type = getType(tensor);
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  Operation *op = tensor.getDefiningOp();
  Value source = getViewedValue(tensor);
  if (op && !source && throughExtensions)
    source = getExtended(op);
  if (!source)
    return getRoot(tensor);
  std::optional<StridedView> view = getStridedView(source, throughExtensions);
  if (!view)
    return std::nullopt;
  bool ok =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](tensor::ExpandShapeOp op) { return expand(*view, op); })
          .Case([&](tensor::CollapseShapeOp op) { return collapse(*view, op); })
          .Case([&](tensor::ExtractSliceOp op) { return slice(*view, op); })
          .Case([&](linalg::LinalgOp op) {
            return permute(*view, op, cast<OpResult>(tensor));
          })
          .Case<tensor::CastOp, FenceOp, arith::ExtFOp>(
              [](Operation *) { return true; })
          .Default([](Operation *) { return false; });
  return ok ? view : std::nullopt;
}
