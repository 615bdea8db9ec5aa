//===- ProductShape.cpp - a contraction as a product's shape --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ProductShape.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace memopt;

SmallVector<int64_t> ProductShape::getSizes(int kind) const {
  SmallVector<int64_t> sizes;
  for (const Loop &loop : loops[kind])
    sizes.push_back(loop.size);
  return sizes;
}

SmallVector<int64_t> ProductShape::getNumbers(int64_t cType) const {
  SmallVector<int64_t> numbers{aType, bType, cType, 0, 0};
  for (int kind = 0; kind < 4; ++kind)
    for (const Loop &loop : loops[kind]) {
      numbers.append({kind, loop.size, loop.a, loop.b, loop.c});
      ++numbers[4];
    }
  return numbers;
}

std::string ProductShape::print() const {
  static constexpr StringLiteral names[] = {"batch", "m", "n", "k"};
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int kind = 0; kind < 4; ++kind) {
    int64_t size = 1;
    for (const Loop &loop : loops[kind])
      size *= loop.size;
    os << (kind ? " " : "") << names[kind] << ' ' << size;
  }
  auto isInner = [&](int kind, int64_t Loop::*stride) {
    return !loops[kind].empty() && loops[kind].back().*stride == 1;
  };
  if (isInner(MEMOPT_CPU_M, &Loop::a) && !isInner(MEMOPT_CPU_K, &Loop::a))
    os << ", a transposed";
  if (isInner(MEMOPT_CPU_K, &Loop::b) && !isInner(MEMOPT_CPU_N, &Loop::b))
    os << ", b transposed";
  return text;
}

std::optional<int64_t> memopt::getRuntimeType(Type type) {
  if (type.isF32())
    return MEMOPT_CPU_F32;
  if (type.isF64())
    return MEMOPT_CPU_F64;
  if (type.isBF16())
    return MEMOPT_CPU_BF16;
  if (type.isF16())
    return MEMOPT_CPU_F16;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// out + a b
//===----------------------------------------------------------------------===//

/// The number of the input that `value` is, through widening casts.
static std::optional<unsigned> getInputNumber(linalg::LinalgOp op,
                                              Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return std::nullopt;
  return argument.getArgNumber();
}

/// True where the body yields out + a b for its two inputs, in any order.
static bool sumsProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Value out = op.getBlock()->getArgument(2);
  auto add = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != out && add.getRhs() != out))
    return false;
  Value product = add.getLhs() == out ? add.getRhs() : add.getLhs();
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return false;
  auto lhs = getInputNumber(op, multiply.getLhs());
  auto rhs = getInputNumber(op, multiply.getRhs());
  return lhs && rhs && *lhs != *rhs;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How the loops of `map` step through an operand: a dimension that is one loop
/// gives it the dimension's factors; a window (a sum of multiples of loops)
/// gives each loop one stride.
static bool collect(AffineMap map, StridedView &view, ArrayRef<int64_t> ranges,
                    MutableArrayRef<std::optional<Factors>> byLoop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    const Factors &dim = view.dims[i];
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      if (byLoop[loop.getPosition()])
        return false;
      byLoop[loop.getPosition()] = dim;
      continue;
    }
    SmallVector<int64_t> flat;
    AffineExpr simple = simplifyAffineExpr(expr, map.getNumDims(), 0);
    if (dim.size() > 1 ||
        failed(getFlattenedAffineExpr(simple, map.getNumDims(), 0, &flat)) ||
        flat.size() != map.getNumDims() + 1)
      return false;
    int64_t stride = dim.empty() ? 0 : dim.front().stride;
    view.offset += flat.back() * stride;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
      if (flat[loop] == 0)
        continue;
      if (byLoop[loop] || flat[loop] < 0)
        return false;
      byLoop[loop].emplace();
      addFactor(*byLoop[loop], {ranges[loop], flat[loop] * stride});
    }
  }
  return true;
}

namespace {
/// The loops of one contraction on their way to a shape.
struct LoopBuilder {
  linalg::LinalgOp op;
  ProductShape &shape;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  /// By operand: a, b, c; the factors of each loop that it has.
  SmallVector<std::optional<Factors>> byLoop[3];

  bool collectAll() {
    Value result = op->getResult(0);
    StridedView c;
    c.dims =
        getRowMajorFactors(cast<RankedTensorType>(result.getType()).getShape());
    StridedView *views[] = {&shape.a, &shape.b, &c};
    for (int x = 0; x < 3; ++x) {
      byLoop[x].resize(ranges.size());
      AffineMap map = op.getIndexingMapsArray()[x];
      if (!collect(map, *views[x], ranges, byLoop[x]))
        return false;
    }
    return true;
  }

  int getKind(unsigned loop) {
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
      return MEMOPT_CPU_K;
    if (byLoop[0][loop] && byLoop[1][loop])
      return MEMOPT_CPU_BATCH;
    return byLoop[1][loop] ? MEMOPT_CPU_N : MEMOPT_CPU_M;
  }

  /// Adds a loop of the op, which is several where an operand needs it.
  bool add(unsigned loop,
           SmallVectorImpl<std::pair<int, unsigned>> *places = nullptr) {
    Factors whole;
    addFactor(whole, {ranges[loop], 0});
    SmallVector<Factors> operands;
    for (auto &factors : byLoop)
      operands.push_back(factors[loop].value_or(whole));
    std::optional<SmallVector<CommonLoop>> common = refineFactors(operands);
    if (!common)
      return false;
    int kind = getKind(loop);
    for (const CommonLoop &each : *common) {
      if (places)
        places->push_back({kind, unsigned(shape.loops[kind].size())});
      shape.loops[kind].push_back(
          {each.size, each.strides[0], each.strides[1], each.strides[2]});
    }
    return true;
  }

  /// Loops of the result in its order, so that those of neighbours can be
  /// joined; then the summed ones, by falling strides.
  bool addAll() {
    AffineMap out = op.getIndexingMapsArray()[2];
    for (AffineExpr expr : out.getResults()) {
      auto &places = shape.resultDims.emplace_back();
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || !add(loop.getPosition(), &places))
        return false;
    }
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      if (getKind(loop) == MEMOPT_CPU_K && !add(loop))
        return false;
    llvm::stable_sort(shape.loops[MEMOPT_CPU_K],
                      [](const ProductShape::Loop &x,
                         const ProductShape::Loop &y) { return x.a > y.a; });
    return llvm::all_of(shape.loops, [](const auto &loops) {
      return loops.size() <= MEMOPT_CPU_MAX_LOOPS;
    });
  }
};
} // namespace

std::optional<ProductShape> memopt::getProductShape(linalg::LinalgOp op,
                                                    std::string &why,
                                                    ArrayRef<bool> computed) {
  auto fail = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  if (!sumsProducts(op))
    return fail("it is no sum of products of two operands");
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!result.hasStaticShape() || result.getNumElements() == 0)
    return fail("its result is empty or of unknown size");
  ProductShape shape;
  for (int x = 0; x < 2; ++x) {
    Value operand = op->getOperand(x);
    std::optional<StridedView> view =
        getStridedView(operand, /*throughExtensions=*/true);
    if (!computed.empty() && computed[x])
      view = StridedView{
          operand, 0,
          getRowMajorFactors(
              cast<RankedTensorType>(operand.getType()).getShape())};
    if (!view)
      return fail("operand #" + Twine(x) + " lies in no storage by strides");
    std::optional<int64_t> type =
        getRuntimeType(getElementTypeOrSelf(view->base.getType()));
    if (!type)
      return fail("operand #" + Twine(x) + " is of a type without products");
    (x ? shape.b : shape.a) = std::move(*view);
    (x ? shape.bType : shape.aType) = *type;
  }
  if (!getRuntimeType(result.getElementType()))
    return fail("its result is of a type without products");
  LoopBuilder builder{op, shape};
  if (!builder.collectAll() || !builder.addAll())
    return fail("its loops have no strides");
  return shape;
}
