//===- Doubles.h - arithmetic in f64 ----------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CODEGEN_DOUBLES_H
#define MEMOPT_LIB_CODEGEN_DOUBLES_H

#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

namespace memopt {

/// Writes arithmetic on values of one type: f64, or vectors of it.
struct Doubles {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;

  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpFPredicate;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  Value constant(double x) { return getConstant(b, loc, type, x); }
  Value add(Value x, Value y) {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  Value sub(Value x, Value y) {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  Value div(Value x, Value y) {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, loc, x); }
  Value floor(Value x) { return mlir::math::FloorOp::create(b, loc, x); }
  Value round(Value x) { return mlir::math::RoundEvenOp::create(b, loc, x); }
  /// x y + z, rounded once.
  Value fma(Value x, Value y, Value z) {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  /// The size of x with the sign of y.
  Value copySign(Value x, Value y) {
    return mlir::math::CopySignOp::create(b, loc, x, y);
  }
  /// Ordered: false where a number is NaN.
  Value compare(Predicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value isLess(Value x, double y) {
    return compare(Predicate::OLT, x, constant(y));
  }
  Value isAtLeast(Value x, double y) {
    return compare(Predicate::OGE, x, constant(y));
  }
  Value isEqual(Value x, double y) {
    return compare(Predicate::OEQ, x, constant(y));
  }
  Value both(Value x, Value y) {
    return mlir::arith::AndIOp::create(b, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// x within [low, high]; NaN stays.
  Value clamp(Value x, double low, double high) {
    x = select(isLess(x, low), constant(low), x);
    return select(isLess(constant(high), x), constant(high), x);
  }
  Value isLess(Value x, Value y) { return compare(Predicate::OLT, x, y); }

  /// coefficients[0] + x (coefficients[1] + x (...)).
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  /// x = k period + r with k whole and r of half a period at most (Cody and
  /// Waite, Software Manual for the Elementary Functions, 1980).
  struct Reduced {
    Value k, r;
  };
  /// `parts` sum up to the period. x - k parts[0] is exact: both are multiples
  /// of a power of two, and their difference is small.
  Reduced reduce(Value x, double overPeriod, llvm::ArrayRef<double> parts) {
    Value k = round(mul(x, constant(overPeriod))), r = x;
    for (double part : parts)
      r = fma(k, constant(-part), r);
    return {k, r};
  }

  //===--- The bits of a number ------------------------------------------===//

  mlir::Type getWordType() { return withElement(type, b.getI64Type()); }
  Value word(int64_t x) { return getConstant(b, loc, getWordType(), x); }
  Value toBits(Value x) {
    return mlir::arith::BitcastOp::create(b, loc, getWordType(), x);
  }
  Value fromBits(Value x) {
    return mlir::arith::BitcastOp::create(b, loc, type, x);
  }
};

/// A number as the sum of two, the second at most half a unit in the last place
/// of the first.
struct DoublePair {
  mlir::Value high, low;
};

// Functions of f64, to about one unit in the last place. Where no other source
// is named, a series of Taylor, cut where the next term is under 2^-54 of the
// result.

mlir::Value expandExp(Doubles &d, mlir::Value x);
/// e^(x + low), `low` small beside x.
mlir::Value expandExpPair(Doubles &d, mlir::Value x, mlir::Value low);
mlir::Value expandExp2(Doubles &d, mlir::Value x);
mlir::Value expandExpM1(Doubles &d, mlir::Value x);
mlir::Value expandTanh(Doubles &d, mlir::Value x);

mlir::Value expandLog(Doubles &d, mlir::Value x);
mlir::Value expandLog2(Doubles &d, mlir::Value x);
mlir::Value expandLog10(Doubles &d, mlir::Value x);
mlir::Value expandLog1P(Doubles &d, mlir::Value x);

mlir::Value expandErf(Doubles &d, mlir::Value x);
mlir::Value expandErfc(Doubles &d, mlir::Value x);

/// NaN from |x| = 2^50 on: no reduction by pi is good to f64 there.
mlir::Value expandSin(Doubles &d, mlir::Value x);
mlir::Value expandCos(Doubles &d, mlir::Value x);

/// x^y with the special cases of IEEE 754-2019, 9.2.1.
mlir::Value expandPower(Doubles &d, mlir::Value x, mlir::Value y);

// Shared by these.

/// x 2^k, k whole and within +-2000, rounded once where the result is
/// subnormal.
mlir::Value scaleByPower(Doubles &d, mlir::Value x, mlir::Value k);

/// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), exactly, for positive
/// and finite x.
struct LogParts {
  mlir::Value e, f;
};
LogParts splitForLog(Doubles &d, mlir::Value x);

} // namespace memopt

#endif // MEMOPT_LIB_CODEGEN_DOUBLES_H
