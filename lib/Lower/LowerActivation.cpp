//===- LowerActivation.cpp - activations and their gradients --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace memopt;

static constexpr double sqrtHalf = 0.707106781186547524400844362104849039;
static constexpr double sqrtTwoOverPi = 0.797884560802865355879892119868763737;
static constexpr double cubic = 0.044715;

namespace {
/// Scalar arithmetic in the type of x.
struct Scalars {
  ImplicitLocOpBuilder &b;
  Type type;

  Value c(double value) { return constant(b, type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value exp(Value x) { return math::ExpOp::create(b, x); }

  // Phi(x) = erfc(-x / sqrt 2) / 2 keeps the left tail.
  Value normalCdf(Value x) {
    return mul(c(0.5), math::ErfcOp::create(b, mul(x, c(-sqrtHalf))));
  }
};

/// A gate z(x) with its derivative: h(x) = x sigmoid(z(x)).
struct Gate {
  Value z, dz;
};

/// e = exp(-|z|) never overflows, and d = 1 / (1 + e) gives sigmoid(z) as d or
/// e d with full relative accuracy in both tails.
struct Sigmoid {
  Value value, bell;
};
} // namespace

static Sigmoid buildSigmoid(Scalars s, Value z) {
  Value e = s.exp(s.neg(math::AbsFOp::create(s.b, z)));
  Value d = s.div(s.c(1), s.add(s.c(1), e));
  Value ed = s.mul(e, d);
  Value positive =
      arith::CmpFOp::create(s.b, arith::CmpFPredicate::OGE, z, s.c(0));
  // sigmoid (1 - sigmoid) = e d^2 on either side.
  return {arith::SelectOp::create(s.b, positive, d, ed), s.mul(ed, d)};
}

static Gate buildGate(Scalars s, ActivationKind kind, Value x) {
  if (kind == ActivationKind::silu)
    return {x, s.c(1)};
  if (kind == ActivationKind::quick_gelu)
    return {s.mul(s.c(1.702), x), s.c(1.702)};
  // (1 + tanh u) / 2 = sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
  Value x2 = s.mul(x, x);
  Value z = s.mul(s.mul(s.c(2 * sqrtTwoOverPi), x),
                  s.add(s.c(1), s.mul(s.c(cubic), x2)));
  Value dz =
      s.mul(s.c(2 * sqrtTwoOverPi), s.add(s.c(1), s.mul(s.c(3 * cubic), x2)));
  return {z, dz};
}

static Value buildValue(Scalars s, ActivationKind kind, Value x) {
  if (kind == ActivationKind::gelu_erf)
    return s.mul(x, s.normalCdf(x));
  return s.mul(x, buildSigmoid(s, buildGate(s, kind, x).z).value);
}

static Value buildDerivative(Scalars s, ActivationKind kind, Value x) {
  if (kind == ActivationKind::gelu_erf) {
    // Phi(x) + x phi(x), phi(x) = exp(-x^2 / 2) / sqrt(2 pi).
    Value phi =
        s.mul(s.c(0.5 * sqrtTwoOverPi), s.exp(s.mul(s.c(-0.5), s.mul(x, x))));
    return s.add(s.normalCdf(x), s.mul(x, phi));
  }
  // d/dx (x sigmoid(z)) = s + x z' s (1 - s); s (1 - s) is 0 before z'
  // overflows, so the product is taken only where it is not.
  Gate gate = buildGate(s, kind, x);
  Sigmoid sigmoid = buildSigmoid(s, gate.z);
  Value slope = s.mul(s.mul(x, gate.dz), sigmoid.bell);
  Value flat = arith::CmpFOp::create(s.b, arith::CmpFPredicate::OEQ,
                                     sigmoid.bell, s.c(0));
  slope = arith::SelectOp::create(s.b, flat, s.c(0), slope);
  return s.add(sigmoid.value, slope);
}

void memopt::lowerActivation(IRRewriter &rewriter, ActivationOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf({op.getX(), op.getY()});
  Value y = buildElementwise(
      b, {op.getX()}, compute, op.getY().getType().getElementType(),
      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        return buildValue({inner, compute}, op.getKind(), args[0]);
      });
  rewriter.replaceOp(op, y);
}

// dx = g h'(x)
void memopt::lowerActivationGrad(IRRewriter &rewriter, ActivationGradOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf({op.getG(), op.getX(), op.getDx()});
  Value dx = buildElementwise(
      b, {op.getG(), op.getX()}, compute, op.getDx().getType().getElementType(),
      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        Scalars s{inner, compute};
        return s.mul(args[0], buildDerivative(s, op.getKind(), args[1]));
      });
  rewriter.replaceOp(op, dx);
}
