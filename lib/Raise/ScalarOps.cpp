//===- ScalarOps.cpp - operations on one scalar ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace memopt::raising;

std::optional<ScalarOp> memopt::raising::getScalarOp(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return ScalarOp{Opcode::Compare, int(compare.getPredicate())};
  auto code =
      llvm::StringSwitch<std::optional<Opcode>>(op->getName().getStringRef())
          .Cases({"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp"},
                 Opcode::Copy)
          .Case("arith.addf", Opcode::Add)
          .Case("arith.subf", Opcode::Sub)
          .Case("arith.mulf", Opcode::Mul)
          .Case("arith.divf", Opcode::Div)
          .Case("arith.negf", Opcode::Neg)
          .Cases({"arith.maximumf", "arith.maxnumf"}, Opcode::Max)
          .Cases({"arith.minimumf", "arith.minnumf"}, Opcode::Min)
          .Case("arith.select", Opcode::Select)
          .Case("math.absf", Opcode::Abs)
          .Case("math.sqrt", Opcode::Sqrt)
          .Case("math.rsqrt", Opcode::Rsqrt)
          .Case("math.cbrt", Opcode::Cbrt)
          .Case("math.exp", Opcode::Exp)
          .Case("math.exp2", Opcode::Exp2)
          .Case("math.expm1", Opcode::Expm1)
          .Case("math.log", Opcode::Log)
          .Case("math.log2", Opcode::Log2)
          .Case("math.log1p", Opcode::Log1p)
          .Case("math.tanh", Opcode::Tanh)
          .Case("math.erf", Opcode::Erf)
          .Case("math.erfc", Opcode::Erfc)
          .Case("math.sin", Opcode::Sin)
          .Case("math.cos", Opcode::Cos)
          .Case("math.sinh", Opcode::Sinh)
          .Case("math.cosh", Opcode::Cosh)
          .Cases({"math.powf", "math.fpowi"}, Opcode::Pow)
          .Case("math.fma", Opcode::Fma)
          .Default(std::nullopt);
  if (!code)
    return std::nullopt;
  return ScalarOp{*code, 0};
}

unsigned memopt::raising::getArity(Opcode code) {
  if (code >= Opcode::Select)
    return 3;
  return code >= Opcode::Add ? 2 : 1;
}

/// arith numbers the ordered predicates 1 to 7 as sets of 1 equal, 2 greater
/// and 4 less, then the unordered ones of the first six in the same order.
static bool compare(int predicate, double a, double b) {
  constexpr int unordered = 8;
  int holds = std::isnan(a) || std::isnan(b) ? unordered
              : a == b                       ? 1
              : a > b                        ? 2
                                             : 4;
  int set = predicate;
  if (predicate == int(arith::CmpFPredicate::UNO))
    set = unordered;
  else if (predicate == int(arith::CmpFPredicate::AlwaysTrue))
    set = 15;
  else if (predicate >= int(arith::CmpFPredicate::UEQ))
    set = (predicate - 7) | unordered;
  return set & holds;
}

static_assert(int(arith::CmpFPredicate::OEQ) == 1 &&
                  int(arith::CmpFPredicate::ORD) == 7 &&
                  int(arith::CmpFPredicate::UEQ) == 8 &&
                  int(arith::CmpFPredicate::UNO) == 14,
              "how compare decodes predicates");

double memopt::raising::evaluate(ScalarOp op, double a, double b, double c) {
  switch (op.code) {
  case Opcode::Copy:
    return a;
  case Opcode::Neg:
    return -a;
  case Opcode::Abs:
    return std::fabs(a);
  case Opcode::Sqrt:
    return std::sqrt(a);
  case Opcode::Rsqrt:
    return 1 / std::sqrt(a);
  case Opcode::Cbrt:
    return std::cbrt(a);
  case Opcode::Exp:
    return std::exp(a);
  case Opcode::Exp2:
    return std::exp2(a);
  case Opcode::Expm1:
    return std::expm1(a);
  case Opcode::Log:
    return std::log(a);
  case Opcode::Log2:
    return std::log2(a);
  case Opcode::Log1p:
    return std::log1p(a);
  case Opcode::Tanh:
    return std::tanh(a);
  case Opcode::Erf:
    return std::erf(a);
  case Opcode::Erfc:
    return std::erfc(a);
  case Opcode::Sin:
    return std::sin(a);
  case Opcode::Cos:
    return std::cos(a);
  case Opcode::Sinh:
    return std::sinh(a);
  case Opcode::Cosh:
    return std::cosh(a);
  case Opcode::Add:
    return a + b;
  case Opcode::Sub:
    return a - b;
  case Opcode::Mul:
    return a * b;
  case Opcode::Div:
    return a / b;
  case Opcode::Max:
    return std::fmax(a, b);
  case Opcode::Min:
    return std::fmin(a, b);
  case Opcode::Pow:
    return b == 2 ? a * a : b == 1 ? a : std::pow(a, b);
  case Opcode::Compare:
    return compare(op.predicate, a, b);
  case Opcode::Select:
    return a != 0 ? b : c;
  case Opcode::Fma:
    return a * b + c;
  }
  return NAN;
}

bool memopt::raising::isActivationAnchor(Opcode code) {
  switch (code) {
  case Opcode::Exp:
  case Opcode::Exp2:
  case Opcode::Expm1:
  case Opcode::Tanh:
  case Opcode::Erf:
  case Opcode::Erfc:
    return true;
  default:
    return false;
  }
}

bool memopt::raising::isNormAnchor(Opcode code) {
  return code == Opcode::Sqrt || code == Opcode::Rsqrt || code == Opcode::Pow;
}
