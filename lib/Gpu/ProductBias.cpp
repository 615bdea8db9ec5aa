//===- ProductBias.cpp - a bias that a product can add --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductBias.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace memopt;

/// The operand that `op` adds to `sum` at each point, where it does nothing
/// else; `map` is which of the dimensions it has.
static Value getAddend(linalg::GenericOp op, Value sum, AffineMap &map) {
  if (op.getNumReductionLoops() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !op.getIndexingMapsArray()[2].isIdentity())
    return {};
  Block &body = *op.getBlock();
  auto add = dyn_cast<arith::AddFOp>(body.front());
  if (!add || body.getTerminator()->getOperand(0) != add.getResult())
    return {};
  unsigned at = op->getOperand(0) == sum ? 0 : 1;
  if (op->getOperand(at) != sum || !op.getIndexingMapsArray()[at].isIdentity())
    return {};
  Value lhs = add.getLhs(), rhs = add.getRhs();
  Value first = body.getArgument(0), second = body.getArgument(1);
  if (!(lhs == first && rhs == second) && !(lhs == second && rhs == first))
    return {};
  map = op.getIndexingMapsArray()[1 - at];
  return op->getOperand(1 - at);
}

/// True if the dimensions of `map` are those of n, in their order.
static bool isOfColumns(AffineMap map, const ProductShape &shape) {
  SmallVector<unsigned> columns, found;
  for (auto [d, loops] : llvm::enumerate(shape.resultDims)) {
    bool hasN = false, hasOther = false;
    for (auto [kind, number] : loops)
      if (shape.loops[kind][number].size != 1)
        (kind == MEMOPT_GPU_N ? hasN : hasOther) = true;
    if (hasN && hasOther)
      return false;
    if (hasN)
      columns.push_back(d);
  }
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return false;
    found.push_back(dim.getPosition());
  }
  return columns == found;
}

static bool isContiguous(const StridedView &view) {
  int64_t stride = 1;
  for (const Factors &dim : llvm::reverse(view.dims))
    for (const Factor &factor : llvm::reverse(dim)) {
      if (factor.size != 1 && factor.stride != stride)
        return false;
      stride *= factor.size;
    }
  return true;
}

std::optional<ProductBias> memopt::findProductBias(linalg::LinalgOp op,
                                                   const ProductShape &shape) {
  Value result = op->getResult(0);
  if (!result.hasOneUse())
    return std::nullopt;
  auto user = dyn_cast<linalg::GenericOp>(*result.getUsers().begin());
  AffineMap map;
  Value addend = user ? getAddend(user, result, map) : Value();
  if (!addend || !isOfColumns(map, shape) ||
      getElementTypeOrSelf(addend.getType()) !=
          getElementTypeOrSelf(result.getType()))
    return std::nullopt;
  std::optional<StridedView> view =
      getStridedView(addend, /*throughExtensions=*/false);
  if (!view || !isa<BlockArgument>(view->base) ||
      !isa<RankedTensorType>(view->base.getType()) || !isContiguous(*view))
    return std::nullopt;
  return ProductBias{*view, user->getResult(0)};
}
