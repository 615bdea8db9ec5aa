//===- Views.cpp - indices through views ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Storage.h"
#include "ProgramBuilder.h"

using namespace mlir;
using namespace memopt;

/// `index` with its loops replaced, quotients made exact where they can be.
static AffineExpr substitute(AffineExpr index, ArrayRef<AffineExpr> loops,
                             IndexMath &math) {
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return loops[loop.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return index;
  AffineExpr left = substitute(binary.getLHS(), loops, math);
  AffineExpr right = substitute(binary.getRHS(), loops, math);
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return divisor ? math.divide(left, divisor.getValue())
                   : left.floorDiv(right);
  case AffineExprKind::Mod:
    return divisor ? math.modulo(left, divisor.getValue()) : left % right;
  default:
    return left.ceilDiv(right);
  }
}

Indices memopt::applyMap(AffineMap map, ArrayRef<AffineExpr> loops,
                         IndexMath &math) {
  Indices indices;
  for (AffineExpr result : map.getResults())
    indices.push_back(substitute(result, loops, math));
  return indices;
}

std::optional<Indices> memopt::invertMap(AffineMap map,
                                         ArrayRef<AffineExpr> indices,
                                         ArrayRef<int64_t> ranges,
                                         IndexMath &math) {
  Indices loops(ranges.size());
  for (auto [result, index] : llvm::zip_equal(map.getResults(), indices)) {
    if (isa<AffineConstantExpr>(result))
      continue; // a dimension of one element
    auto loop = dyn_cast<AffineDimExpr>(result);
    if (!loop || loops[loop.getPosition()])
      return std::nullopt;
    loops[loop.getPosition()] = index;
  }
  for (auto [loop, range] : llvm::zip_equal(loops, ranges)) {
    if (!loop && range != 1)
      return std::nullopt;
    if (!loop)
      loop = math.getConstant(0);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult enterSlice(tensor::ExtractSliceOp slice, Indices &indices,
                                IndexMath &math) {
  if (slice.getSourceType().getRank() != 0 &&
      (ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
       ShapedType::isDynamicShape(slice.getStaticStrides())))
    return slice.emitOpError("at a place that is computed has no place in a "
                             "fused kernel");
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  Indices outer;
  size_t next = 0;
  for (auto [i, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    AffineExpr at = dropped[i] ? math.getConstant(0) : indices[next++];
    outer.push_back(at * slice.getStaticStrides()[i] + offset);
  }
  indices = outer;
  return success();
}

/// A linalg op that hands an input on unchanged.
static FailureOr<Value> enterLinalg(linalg::LinalgOp op, unsigned result,
                                    Value source, Indices &indices,
                                    IndexMath &math) {
  std::optional<Indices> loops =
      invertMap(op.getIndexingMapMatchingResult(op->getResult(result)), indices,
                op.getStaticLoopRanges(), math);
  if (!loops)
    return op->emitOpError("whose result does not have all its loops has no "
                           "place in a fused kernel");
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == source) {
      auto yielded = cast<BlockArgument>(
          op.getBlock()->getTerminator()->getOperand(result));
      if (yielded.getArgNumber() != input->getOperandNumber())
        continue; // another read of the same value
      indices = applyMap(op.getMatchingIndexingMap(input), *loops, math);
      return source;
    }
  return Value();
}

FailureOr<Value> memopt::stepThroughView(Value value, Indices &indices,
                                         IndexMath &math) {
  Value source = getViewedValue(value);
  if (!source)
    return Value();
  Operation *op = value.getDefiningOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return enterLinalg(linalgOp, cast<OpResult>(value).getResultNumber(),
                       source, indices, math);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (failed(enterSlice(slice, indices, math)))
      return failure();
    return source;
  }
  auto from = dyn_cast<RankedTensorType>(source.getType());
  auto to = dyn_cast<RankedTensorType>(value.getType());
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape())
    return op->emitOpError("between ")
           << source.getType() << " and " << value.getType()
           << " has no place in a fused kernel";
  if (from.getShape() != to.getShape())
    indices = math.delinearize(math.linearize(indices, to.getShape()),
                               from.getShape());
  return source;
}
