//===- ActivationTest.cpp - the table of activations ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Surrogate/Activation.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace memopt;

// Reference values computed with 40 digits.
TEST(Activation, KnownValues) {
  EXPECT_NEAR(findActivation("gelu_erf")->value(1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(findActivation("gelu_tanh")->value(1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(findActivation("quick_gelu")->value(1), 0.8457957659328212,
              1e-15);
  EXPECT_NEAR(findActivation("silu")->value(1), 0.7310585786300049, 1e-15);
  EXPECT_EQ(findActivation("relu"), nullptr);
}

// Central differences of value agree with derivative to their own error.
TEST(Activation, DerivativeIsThatOfValue) {
  const double step = 1e-5;
  for (const Activation &a : getActivations())
    for (double x = -9; x <= 9; x += 0.0625) {
      double difference = (a.value(x + step) - a.value(x - step)) / (2 * step);
      EXPECT_NEAR(a.derivative(x), difference, 2e-10) << a.name << " at " << x;
    }
}

// The left tail has relative accuracy: h(x) = -x h's gate, far below 1e-16.
TEST(Activation, LeftTailIsNotLost) {
  EXPECT_NEAR(findActivation("gelu_erf")->value(-10) / -7.619853024160527e-23,
              1, 1e-13);
  EXPECT_NEAR(findActivation("silu")->value(-50) / -9.643749239819589e-21, 1,
              1e-13);
}

TEST(Activation, FiniteEverywhere) {
  for (const Activation &a : getActivations())
    for (double magnitude : {0.0, 1e-300, 89.0, 1e4, 1e154, 1e200, 1.7e308})
      for (double x : {magnitude, -magnitude}) {
        EXPECT_TRUE(std::isfinite(a.value(x))) << a.name << " at " << x;
        EXPECT_TRUE(std::isfinite(a.derivative(x))) << a.name << " at " << x;
      }
}
