//===- Activation.cpp - the table of activations --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Surrogate/Activation.h"

#include <cmath>

using namespace memopt;

static constexpr double sqrtHalf = 0.707106781186547524400844362104849039;
static constexpr double sqrtTwoOverPi = 0.797884560802865355879892119868763737;
static constexpr double cubic = 0.044715;
static constexpr double quick = 1.702;

/// 1 / (1 + exp(-z)), relative accuracy in both tails.
static double sigmoid(double z) {
  if (z >= 0)
    return 1 / (1 + std::exp(-z));
  double e = std::exp(z);
  return e / (1 + e);
}

/// d/dx (x sigmoid(z(x))) = s + x z' s (1 - s). The last factors are 0 before
/// z' overflows, so the product is taken only where they are not.
static double gatedDerivative(double x, double z, double dz) {
  double bell = sigmoid(z) * sigmoid(-z);
  return sigmoid(z) + (bell == 0 ? 0 : x * dz * bell);
}

// x Phi(x) with Phi(x) = erfc(-x / sqrt 2) / 2, which keeps the left tail.
static double geluErf(double x) { return x * 0.5 * std::erfc(-x * sqrtHalf); }

// Phi(x) + x phi(x), phi(x) = exp(-x^2 / 2) / sqrt(2 pi).
static double geluErfDerivative(double x) {
  double phi = 0.5 * sqrtTwoOverPi * std::exp(-0.5 * x * x);
  return 0.5 * std::erfc(-x * sqrtHalf) + x * phi;
}

// (1 + tanh u) / 2 = sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
static double geluTanhGate(double x) {
  return 2 * sqrtTwoOverPi * x * (1 + cubic * x * x);
}

static double geluTanh(double x) { return x * sigmoid(geluTanhGate(x)); }

static double geluTanhDerivative(double x) {
  double dz = 2 * sqrtTwoOverPi * (1 + 3 * cubic * x * x);
  return gatedDerivative(x, geluTanhGate(x), dz);
}

static double quickGelu(double x) { return x * sigmoid(quick * x); }

static double quickGeluDerivative(double x) {
  return gatedDerivative(x, quick * x, quick);
}

static double silu(double x) { return x * sigmoid(x); }

static double siluDerivative(double x) { return gatedDerivative(x, x, 1); }

const std::vector<Activation> &memopt::getActivations() {
  static const std::vector<Activation> table = {
      {"gelu_erf", geluErf, geluErfDerivative},
      {"gelu_tanh", geluTanh, geluTanhDerivative},
      {"quick_gelu", quickGelu, quickGeluDerivative},
      {"silu", silu, siluDerivative},
  };
  return table;
}

const Activation *memopt::findActivation(std::string_view name) {
  for (const Activation &activation : getActivations())
    if (activation.name == name)
      return &activation;
  return nullptr;
}
