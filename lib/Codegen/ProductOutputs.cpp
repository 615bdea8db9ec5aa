//===- ProductOutputs.cpp - what a contraction kernel writes --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ProductOutputs.h"
#include "MemOpt/Analysis/Iteration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memopt;

linalg::LinalgOp memopt::findContraction(KernelOp kernel) {
  linalg::LinalgOp found;
  for (auto op : kernel.getBody().getOps<linalg::LinalgOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    FailureOr<Iteration> iteration = getIteration(op);
    if (failed(iteration) || iteration->opClass != OpClass::Contraction)
      continue;
    if (found)
      return {};
    found = op;
  }
  return found;
}

bool memopt::startsFromZero(linalg::LinalgOp op) {
  Value init = op.getDpsInits().front();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.value();
  return matchPattern(init, m_AnyZeroFloat());
}

//===----------------------------------------------------------------------===//
// How outputs follow from the result
//===----------------------------------------------------------------------===//

namespace {
enum class Reads { Not, AtThePoint, Elsewhere };

class Follower {
public:
  explicit Follower(Value result) { reads[result] = Reads::AtThePoint; }

  /// How `value` is computed from the result.
  Reads get(Value value) {
    if (auto entry = reads.find(value); entry != reads.end())
      return entry->second;
    Operation *op = value.getDefiningOp();
    Reads worst = Reads::Not;
    if (op)
      op->walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          if (!op->isAncestor(operand.get().getParentBlock()->getParentOp()) &&
              get(operand.get()) != Reads::Not)
            worst = std::max(worst, inner == op && isAligned(operand)
                                        ? get(operand.get())
                                        : Reads::Elsewhere);
      });
    return reads[value] = worst;
  }

private:
  /// True where the op reads the operand at the point that it makes.
  static bool isAligned(OpOperand &operand) {
    Operation *op = operand.getOwner();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (linalgOp.getNumReductionLoops())
        return false;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      return llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
        return getLoops(linalgOp, map) ==
               getLoops(linalgOp, linalgOp.getMatchingIndexingMap(&init));
      });
    }
    return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
               FenceOp>(op) ||
           OpTrait::hasElementwiseMappableTraits(op);
  }

  /// The loops of a map that have more than one point, in its order; -1 where
  /// it is more than loops.
  static SmallVector<int64_t> getLoops(linalg::LinalgOp op, AffineMap map) {
    SmallVector<int64_t> loops;
    for (AffineExpr expr : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (loop && op.getStaticLoopRanges()[loop.getPosition()] != 1)
        loops.push_back(loop.getPosition());
      else if (!loop && !isa<AffineConstantExpr>(expr))
        loops.push_back(-1 - int64_t(loops.size()));
    }
    return loops;
  }

  DenseMap<Value, Reads> reads;
};
} // namespace

static Value skipReshapes(Value value) {
  while (value.getDefiningOp() &&
         isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
             value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What an op rounds to a narrower float, point by point and nothing else.
static Value getRounded(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::TruncFOp>(op))
    return op->getOperand(0);
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumDpsInputs() != 1 ||
      linalgOp.getNumDpsInits() != 1 || linalgOp.getNumReductionLoops())
    return {};
  for (AffineMap map : linalgOp.getIndexingMapsArray())
    if (!map.isIdentity())
      return {};
  auto rounds = linalgOp.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::TruncFOp>();
  return rounds && rounds.getIn() == linalgOp.getBlock()->getArgument(0)
             ? linalgOp.getDpsInputOperand(0)->get()
             : Value();
}

/// True for the sums themselves. Sums in f64 are f64: rounding them is left to
/// an epilogue, since c's type says in what a product is summed.
static bool isPlain(Value value, Value result) {
  value = skipReshapes(value);
  if (value == result)
    return true;
  Value rounded = getRounded(value);
  return rounded && skipReshapes(rounded) == result &&
         getElementTypeOrSelf(result.getType()).isF32();
}

Outputs memopt::classifyOutputs(KernelOp kernel, Value result) {
  Outputs outputs;
  Follower follower(result);
  int64_t points = cast<ShapedType>(result.getType()).getNumElements();
  for (auto [i, value] : llvm::enumerate(kernel.getYielded())) {
    Reads reads = follower.get(value);
    bool samePoints =
        cast<ShapedType>(value.getType()).getNumElements() == points;
    if (reads == Reads::Not)
      outputs.others.push_back(i);
    else if (reads == Reads::Elsewhere || !samePoints)
      outputs.reshaped.push_back(i);
    else if (!outputs.plain && isPlain(value, result))
      outputs.plain = i;
    else
      outputs.pointwise.push_back(i);
  }
  return outputs;
}
