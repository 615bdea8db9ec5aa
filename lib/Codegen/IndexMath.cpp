//===- IndexMath.cpp - where a point of a kernel lies in a tensor ---------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/IndexMath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

AffineExpr IndexMath::getLoop(unsigned loop) const {
  return getAffineDimExpr(loop, context);
}

AffineExpr IndexMath::getConstant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void IndexMath::collect(AffineExpr index, int64_t factor, Sum &sum) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(index)) {
    sum.constant += factor * constant.getValue();
    return;
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(index)) {
    if (binary.getKind() == AffineExprKind::Add) {
      collect(binary.getLHS(), factor, sum);
      return collect(binary.getRHS(), factor, sum);
    }
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (binary.getKind() == AffineExprKind::Mul && scale)
      return collect(binary.getLHS(), factor * scale.getValue(), sum);
  }
  for (Term &term : sum.terms)
    if (term.atom == index) {
      term.factor += factor;
      return;
    }
  sum.terms.push_back({index, factor});
}

/// Loops first, by number; what is left in the order in which it came.
IndexMath::Sum IndexMath::getSum(AffineExpr index) const {
  Sum sum;
  collect(index, 1, sum);
  llvm::erase_if(sum.terms, [](const Term &term) { return term.factor == 0; });
  auto key = [](const Term &term) {
    auto loop = dyn_cast<AffineDimExpr>(term.atom);
    return loop ? loop.getPosition() : ~0u;
  };
  llvm::stable_sort(
      sum.terms, [&](const Term &a, const Term &b) { return key(a) < key(b); });
  return sum;
}

AffineExpr IndexMath::build(const Sum &sum) const {
  AffineExpr index = getConstant(0);
  for (const Term &term : sum.terms)
    index = index + term.atom * term.factor;
  return index + sum.constant;
}

IndexMath::Range IndexMath::getRange(const Sum &sum) const {
  Range range{sum.constant, sum.constant};
  for (const Term &term : sum.terms) {
    auto [low, high] = getRange(term.atom);
    if (term.factor < 0)
      std::swap(low, high);
    range.first += term.factor * low;
    range.second += term.factor * high;
  }
  return range;
}

IndexMath::Range IndexMath::getRange(AffineExpr index) const {
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return {0, std::max<int64_t>(sizes[loop.getPosition()] - 1, 0)};
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary || binary.getKind() == AffineExprKind::Add ||
      binary.getKind() == AffineExprKind::Mul)
    return getRange(getSum(index));
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (binary.getKind() == AffineExprKind::Mod)
    return {0, divisor - 1};
  auto [low, high] = getRange(getSum(binary.getLHS()));
  return {llvm::divideFloorSigned(low, divisor),
          llvm::divideFloorSigned(high, divisor)};
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

std::pair<IndexMath::Sum, IndexMath::Sum>
IndexMath::separate(const Sum &sum, int64_t divisor) const {
  Sum multiple, rest;
  for (const Term &term : sum.terms)
    (term.factor % divisor ? rest : multiple).terms.push_back(term);
  rest.constant = llvm::mod(sum.constant, divisor);
  multiple.constant = sum.constant - rest.constant;
  return {multiple, rest};
}

/// A loop that runs over the divisor's edge could be split there: with factor f
/// at divisor / f iterations.
void IndexMath::wishFor(const Sum &rest, int64_t divisor) {
  if (wish)
    return;
  for (const Term &term : rest.terms) {
    auto loop = dyn_cast<AffineDimExpr>(term.atom);
    if (!loop || term.factor <= 0 || divisor % term.factor)
      continue;
    int64_t size = sizes[loop.getPosition()], inner = divisor / term.factor;
    if (inner > 1 && inner < size && size % inner == 0) {
      wish = LoopSplit{loop.getPosition(), inner};
      return;
    }
  }
}

// (c a + b) / c = a and (c a + b) mod c = b where 0 <= b < c.
AffineExpr IndexMath::divide(AffineExpr index, int64_t divisor) {
  auto [multiple, rest] = separate(getSum(index), divisor);
  AffineExpr quotient = getConstant(0);
  for (Term &term : multiple.terms)
    term.factor /= divisor;
  multiple.constant /= divisor;
  auto [low, high] = getRange(rest);
  if (low < 0 || high >= divisor) {
    wishFor(rest, divisor);
    quotient = build(rest).floorDiv(divisor);
  }
  return build(multiple) + quotient;
}

AffineExpr IndexMath::modulo(AffineExpr index, int64_t divisor) {
  auto [multiple, rest] = separate(getSum(index), divisor);
  auto [low, high] = getRange(rest);
  if (low >= 0 && high < divisor)
    return build(rest);
  wishFor(rest, divisor);
  return build(rest) % divisor;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

AffineExpr IndexMath::linearize(ArrayRef<AffineExpr> indices,
                                ArrayRef<int64_t> shape) const {
  AffineExpr index = getConstant(0);
  for (auto [at, size] : llvm::zip_equal(indices, shape))
    index = index * size + at;
  return build(getSum(index));
}

SmallVector<AffineExpr> IndexMath::delinearize(AffineExpr index,
                                               ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> indices(shape.size(), getConstant(0));
  int64_t outer = 1;
  for (int64_t size : shape)
    outer *= size;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) {
    if (shape[i] == 1)
      continue;
    AffineExpr at = divide(index, stride);
    indices[i] = stride * shape[i] == outer ? at : modulo(at, shape[i]);
  }
  return indices;
}

AffineExpr IndexMath::linearizeLoops(unsigned begin, unsigned end) const {
  AffineExpr index = getConstant(0);
  for (unsigned loop = begin; loop < end; ++loop)
    index = index * sizes[loop] + getLoop(loop);
  return build(getSum(index));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool IndexMath::areEqual(AffineExpr a, AffineExpr b) const {
  Sum sum = getSum(a - b);
  return sum.terms.empty() && sum.constant == 0;
}

std::optional<LinearIndex> IndexMath::getLinear(AffineExpr index) const {
  Sum sum = getSum(index);
  LinearIndex linear{sum.constant, SmallVector<int64_t>(sizes.size(), 0)};
  for (const Term &term : sum.terms) {
    auto loop = dyn_cast<AffineDimExpr>(term.atom);
    if (!loop)
      return std::nullopt;
    linear.factors[loop.getPosition()] = term.factor;
  }
  return linear;
}

uint64_t IndexMath::getLoops(AffineExpr index) {
  uint64_t loops = 0;
  index.walk([&](AffineExpr part) {
    if (auto loop = dyn_cast<AffineDimExpr>(part))
      loops |= uint64_t(1) << loop.getPosition();
  });
  return loops;
}
