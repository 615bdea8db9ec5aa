//===- Iteration.cpp - how an op walks over its tensors -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Iteration.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Exact products
//===----------------------------------------------------------------------===//

static FailureOr<int64_t> multiply(Operation *op, ArrayRef<int64_t> factors) {
  constexpr int64_t limit = int64_t(1) << 62;
  if (llvm::is_contained(factors, 0))
    return 0;
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor < 0 || product > limit / factor)
      return op->emitError("the iterations of this op pass 2^62");
    product *= factor;
  }
  return product;
}

static int getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 4;
  return std::max<int>(1, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

/// The first tensor operand's, else the first result's.
static int getElementBytes(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (isa<TensorType>(type))
      return getElementBytes(type);
  return op->getNumResults() ? getElementBytes(op->getResult(0).getType()) : 4;
}

//===----------------------------------------------------------------------===//
// Where an operand is read, as seen from the iteration
//===----------------------------------------------------------------------===//

namespace {
/// How the row-major order of what is read follows the order of the iteration.
/// `broadcast` trailing points read the same element: 1 where each point reads
/// its own. Not linear: transposed, leading broadcast, gathered.
struct Access {
  bool linear = false;
  int64_t broadcast = 1;
};
} // namespace

/// The loops of `map`'s results, those of one iteration apart; nothing where a
/// result is no loop.
static std::optional<SmallVector<unsigned>> getLoops(AffineMap map,
                                                     ArrayRef<int64_t> ranges) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue; // a dimension of one element
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim)
      return std::nullopt;
    if (ranges[dim.getPosition()] != 1)
      loops.push_back(dim.getPosition());
  }
  return loops;
}

/// How `map` reads, in an iteration over the loops `order`.
static Access getAccess(AffineMap map, ArrayRef<unsigned> order,
                        ArrayRef<int64_t> ranges) {
  std::optional<SmallVector<unsigned>> loops = getLoops(map, ranges);
  if (!loops || loops->size() > order.size() ||
      !std::equal(loops->begin(), loops->end(), order.begin()))
    return {};
  Access access{true, 1};
  for (unsigned loop : order.drop_front(loops->size()))
    access.broadcast *= ranges[loop];
  return access;
}

/// How one view reads its source, in the order of its own elements.
static Access getViewAccess(OpResult view) {
  Operation *op = view.getOwner();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return {!isa<tensor::ExtractSliceOp>(op), 1};
  SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
  OpOperand *init = linalgOp.getDpsInitOperand(view.getResultNumber());
  auto order = getLoops(linalgOp.getMatchingIndexingMap(init), ranges);
  if (!order)
    return {};
  for (OpOperand *input : linalgOp.getDpsInputOperands())
    if (input->get() == getViewedValue(view))
      return getAccess(linalgOp.getMatchingIndexingMap(input), *order, ranges);
  return {};
}

/// How the storage behind `value` is read by an op that reads `value` so.
static Access throughViews(Value value, Access access) {
  while (Value source = getViewedValue(value)) {
    Access view = getViewAccess(cast<OpResult>(value));
    access.linear &= view.linear;
    access.broadcast *= view.broadcast;
    value = source;
  }
  return access;
}

namespace {
/// The reads of one op, by storage.
class Reads {
public:
  explicit Reads(Operation *op) : op(op) {}

  void add(Value value, Access access) {
    accesses.push_back({getStorage(value), throughViews(value, access)});
  }

  /// The fewest trailing points that a read repeats over; 1 where none does.
  /// A scalar's whole iteration is no row.
  int64_t getRowLength(int64_t points) const {
    int64_t length = 0;
    for (const auto &[storage, access] : accesses)
      if (access.linear && access.broadcast > 1 && access.broadcast < points &&
          storage.getDefiningOp())
        length = length ? std::min(length, access.broadcast) : access.broadcast;
    return length ? length : 1;
  }

  /// The storages all of whose reads are at the point, or at the row of
  /// `rowLength` points.
  llvm::DenseSet<Value> getAligned(int64_t rowLength) const {
    llvm::DenseMap<Value, int> counts;
    for (const auto &[storage, access] : accesses)
      if (access.linear &&
          (access.broadcast == 1 || access.broadcast == rowLength))
        ++counts[storage];
    llvm::DenseSet<Value> aligned;
    llvm::DenseMap<Value, int> all;
    forEachRead(op, [&](Value value) { ++all[getStorage(value)]; });
    for (auto [storage, count] : all)
      if (counts.lookup(storage) == count)
        aligned.insert(storage);
    return aligned;
  }

private:
  Operation *op;
  SmallVector<std::pair<Value, Access>> accesses;
};
} // namespace

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// Float operations of a body for each point; conversions are part of a load or
/// a store.
static int64_t countFloatOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            inner->getDialect()) ||
        inner->hasTrait<OpTrait::ConstantLike>() || isa<CastOpInterface>(inner))
      return;
    count += llvm::any_of(inner->getOperandTypes(), [](Type type) {
      return isa<FloatType>(getElementTypeOrSelf(type));
    });
  });
  return count;
}

/// A matrix product or convolution: sums products over some loops, and each of
/// its two inputs has loops that the other does not know. A row's dot product
/// and a matrix times a vector read each number once, like any reduction.
static bool isContraction(linalg::LinalgOp op) {
  if (linalg::isaContractionOpInterface(op)) {
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
  }
  return linalg::isaConvolutionOpInterface(op) && op->getNumOperands() == 3 &&
         countFloatOps(op) == 2; // a pooling window only sums
}

/// Reads elements at places that are computed; a fixed one is a scalar.
static bool gathers(Operation *op) {
  return op
      ->walk([](tensor::ExtractOp extract) {
        return llvm::all_of(extract.getIndices(),
                            [](Value index) {
                              return matchPattern(index, m_Constant());
                            })
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The loops in the order of the iteration, those of one iteration apart: for
/// parallel loops the order in which the result lies in memory.
static SmallVector<unsigned> getOrder(linalg::LinalgOp op,
                                      ArrayRef<int64_t> ranges) {
  if (op.getNumReductionLoops() == 0 && op.getNumDpsInits() > 0)
    if (auto loops = getLoops(
            op.getMatchingIndexingMap(op.getDpsInitOperand(0)), ranges))
      return *loops;
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (ranges[loop] != 1)
      order.push_back(loop);
  return order;
}

static bool isReduction(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

static FailureOr<Iteration> getLinalgIteration(linalg::LinalgOp op) {
  Iteration it;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  FailureOr<int64_t> points = multiply(op, ranges);
  if (failed(points))
    return failure();
  it.points = *points;
  it.elementBytes = getElementBytes(op);
  bool contraction = isContraction(op);
  FailureOr<int64_t> flops =
      multiply(op, {*points, contraction ? 2 : countFloatOps(op)});
  if (failed(flops))
    return failure();
  it.flops = *flops;
  if (contraction) {
    it.opClass = OpClass::Contraction;
    return it;
  }

  SmallVector<unsigned> order = getOrder(op, ranges);
  Reads reads(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        op.payloadUsesValueFromOperand(&operand))
      reads.add(operand.get(),
                getAccess(op.getMatchingIndexingMap(&operand), order, ranges));
  // order = parallel loops..., then reduced ones: a row; else a column.
  auto firstReduced = llvm::find_if(
      order, [&](unsigned loop) { return isReduction(op, loop); });
  bool isRow = std::all_of(firstReduced, order.end(), [&](unsigned loop) {
    return isReduction(op, loop);
  });
  if (gathers(op)) {
    it.opClass = OpClass::Movement;
  } else if (firstReduced == order.end()) {
    it.opClass = OpClass::Elementwise;
    it.rowLength = reads.getRowLength(it.points);
  } else if (isRow) {
    it.opClass = OpClass::RowReduction;
    for (auto loop = firstReduced; loop != order.end(); ++loop)
      it.rowLength *= ranges[*loop];
  } else {
    it.opClass = OpClass::ColumnReduction;
  }
  it.rowLength = std::max<int64_t>(it.rowLength, 1);
  it.aligned = reads.getAligned(it.rowLength);
  return it;
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

/// An op whose operands are all read point by point.
static FailureOr<Iteration> getPointwise(Operation *op, ShapedType space,
                                         int64_t flopsPerPoint) {
  Iteration it;
  it.opClass = OpClass::Elementwise;
  FailureOr<int64_t> points = multiply(op, space.getShape());
  if (failed(points))
    return failure();
  FailureOr<int64_t> flops = multiply(op, {*points, flopsPerPoint});
  if (failed(flops))
    return failure();
  it.points = *points;
  it.flops = *flops;
  it.elementBytes = getElementBytes(op);
  Reads reads(op);
  for (Value operand : op->getOperands())
    if (isa<TensorType>(operand.getType()))
      reads.add(operand, {true, 1});
  it.rowLength = reads.getRowLength(it.points);
  it.aligned = reads.getAligned(it.rowLength);
  return it;
}

/// A norm or its gradient: rows of `rank` trailing dimensions of `x`. Values of
/// x's shape are read at the point, statistics at the row.
static FailureOr<Iteration> getNormIteration(Operation *op, RankedTensorType x,
                                             int64_t rank,
                                             int64_t flopsPerPoint) {
  FailureOr<Iteration> it = getPointwise(op, x, flopsPerPoint);
  if (failed(it))
    return failure();
  it->opClass = OpClass::RowReduction;
  FailureOr<int64_t> row = multiply(op, x.getShape().take_back(rank));
  if (failed(row))
    return failure();
  it->rowLength = std::max<int64_t>(*row, 1);
  Reads reads(op);
  for (Value operand : op->getOperands()) {
    auto shape = cast<RankedTensorType>(operand.getType()).getShape();
    if (shape == x.getShape())
      reads.add(operand, {true, 1});
    else if (shape == x.getShape().drop_back(rank))
      reads.add(operand, {true, it->rowLength});
    else
      reads.add(operand, {});
  }
  it->aligned = reads.getAligned(it->rowLength);
  return it;
}

/// What the definition computes for each point, a call of exp, erf or tanh
/// counted as one operation as in a linalg body.
static FailureOr<Iteration> getMemOptIteration(Operation *op) {
  if (auto norm = dyn_cast<NormOp>(op))
    return getNormIteration(op, norm.getX().getType(), norm.getNormalizedRank(),
                            8);
  if (auto grad = dyn_cast<NormGradOp>(op))
    return getNormIteration(op, grad.getX().getType(), grad.getNormalizedRank(),
                            14);
  if (auto grad = dyn_cast<NormOutputGradOp>(op))
    return getNormIteration(op, grad.getXhat().getType(),
                            grad.getNormalizedRank(), 10);
  if (auto encode = dyn_cast<EncodeOp>(op))
    return getPointwise(op, encode.getX().getType(),
                        encode.getThresholds().size());
  return getPointwise(op, cast<ShapedType>(op->getResult(0).getType()),
                      isa<ActivationGradOp>(op) ? 10
                      : isa<StepGradOp>(op)     ? 1
                                                : 6);
}

/// An op whose points are the elements of its largest result.
static FailureOr<Iteration> getByResults(Operation *op, OpClass opClass) {
  Iteration it;
  it.opClass = opClass;
  it.elementBytes = getElementBytes(op);
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      FailureOr<int64_t> points = multiply(op, tensor.getShape());
      if (failed(points))
        return failure();
      it.points = std::max(it.points, *points);
    }
  return it;
}

FailureOr<Iteration> memopt::getIteration(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return getLinalgIteration(linalgOp);
  // A kernel that is formed: nothing joins it any more.
  if (isa<KernelOp>(op))
    return getByResults(op, OpClass::Opaque);
  if (isa_and_nonnull<MemOptDialect>(op->getDialect()))
    return getMemOptIteration(op);
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return getPointwise(op, cast<ShapedType>(op->getResult(0).getType()),
                        countFloatOps(op));
  return getByResults(op,
                      isa_and_nonnull<tensor::TensorDialect>(op->getDialect())
                          ? OpClass::Movement
                          : OpClass::Opaque);
}
