//===- OptimizerTest.cpp - SGD and AdamW against closed forms -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Optimizer.h"
#include "MemOpt/Run/Train.h"
#include "TestFiles.h"

using namespace memopt::run;

/// `parameter` after updates by each of `gradients` in turn.
static std::vector<double> updated(const OptimizerOptions &options,
                                   Element element,
                                   std::vector<double> parameter,
                                   std::vector<std::vector<double>> gradients) {
  int64_t size = parameter.size();
  Array array = makeArray(element, {size}, parameter);
  Optimizer optimizer(options);
  for (const std::vector<double> &gradient : gradients) {
    llvm::Error error = optimizer.update(0, options.rate, array,
                                         makeArray(element, {size}, gradient));
    EXPECT_FALSE(bool(error));
  }
  return valuesOf(array);
}

static OptimizerOptions sgd(double rate) {
  OptimizerOptions options;
  options.rate = rate;
  return options;
}

static OptimizerOptions adamW(double rate, double decay) {
  OptimizerOptions options;
  options.kind = OptimizerKind::AdamW;
  options.rate = rate;
  options.weightDecay = decay;
  return options;
}

TEST(Optimizer, PlainSgd) {
  EXPECT_EQ(updated(sgd(0.5), Element::F64, {1, 2}, {{2, -4}, {1, 0}}),
            (std::vector<double>{-0.5, 4}));
}

TEST(Optimizer, SgdWeightDecay) {
  OptimizerOptions options = sgd(0.5);
  options.weightDecay = 0.25;
  // p (1 - 0.5 * 0.25) - 0.5 g
  EXPECT_EQ(updated(options, Element::F64, {8}, {{1}}),
            (std::vector<double>{6.5}));
}

// A constant gradient g: b_t = g (1 + m + ... + m^(t-1)).
TEST(Optimizer, SgdMomentum) {
  OptimizerOptions options = sgd(1);
  options.momentum = 0.5;
  EXPECT_EQ(updated(options, Element::F64, {0}, {{1}, {1}, {1}}),
            (std::vector<double>{-(1 + 1.5 + 1.75)}));
  options.nesterov = true; // g + m b_t
  EXPECT_EQ(updated(options, Element::F64, {0}, {{1}, {1}, {1}}),
            (std::vector<double>{-(1.5 + 1.75 + 1.875)}));
  options.nesterov = false;
  options.dampening = 0.5; // not on the first step
  EXPECT_EQ(updated(options, Element::F64, {0}, {{1}, {1}}),
            (std::vector<double>{-(1 + 1)}));
}

// Bias corrections make the first step rate * g / (|g| + eps) whatever g.
TEST(Optimizer, AdamWFirstStep) {
  for (double gradient : {1e-3, -7.0, 123.0}) {
    double expected =
        2 * (1 - 0.1 * 0.01) - 0.1 * gradient / (std::fabs(gradient) + 1e-8);
    EXPECT_NEAR(updated(adamW(0.1, 0.01), Element::F64, {2}, {{gradient}})[0],
                expected, 1e-15);
    EXPECT_NEAR(updated(adamW(0.1, 0.01), Element::F32, {2}, {{gradient}})[0],
                expected, 3e-7);
  }
}

// With a constant gradient both corrected moments stay g and g^2, so that every
// step is that of the first.
TEST(Optimizer, AdamWConstantGradient) {
  std::vector<std::vector<double>> gradients(50, {0.3});
  EXPECT_NEAR(updated(adamW(0.01, 0), Element::F64, {1}, gradients)[0],
              1 - 50 * 0.01 * 0.3 / (0.3 + 1e-8), 1e-12);
}

// Two unlike gradients, by hand: m = 0.09 a + 0.1 b and v likewise.
TEST(Optimizer, AdamWTwoSteps) {
  double a = 0.5, b = -2, rate = 0.1;
  double m = 0.9 * 0.1 * a + 0.1 * b;
  double v = 0.999 * 0.001 * a * a + 0.001 * b * b;
  double expected =
      3 - rate * a / (a + 1e-8) -
      rate * (m / (1 - 0.81)) / (std::sqrt(v / (1 - 0.998001)) + 1e-8);
  EXPECT_NEAR(updated(adamW(rate, 0), Element::F64, {3}, {{a}, {b}})[0],
              expected, 1e-14);
}

// State and parameter keep bfloat16's eight bits: 1 - 2^-10 rounds to 1.
TEST(Optimizer, BFloat16Rounds) {
  EXPECT_EQ(updated(sgd(0x1p-10), Element::BF16, {1}, {{1}}),
            (std::vector<double>{1}));
  EXPECT_EQ(updated(sgd(0x1p-7), Element::BF16, {1}, {{1}}),
            (std::vector<double>{1 - 0x1p-7}));
}

TEST(Optimizer, State) {
  Array parameter = makeArray(Element::F32, {3}, {1, 2, 3});
  Optimizer plain(sgd(1)), adam(adamW(1, 0));
  Array gradient = makeArray(Element::F32, {3}, {1, 1, 1});
  ASSERT_FALSE(bool(plain.update(0, 1, parameter, gradient)));
  ASSERT_FALSE(bool(adam.update(0, 1, parameter, gradient)));
  EXPECT_EQ(plain.stateBytes(), 0);
  EXPECT_EQ(adam.stateBytes(), 24);
}

TEST(Optimizer, Errors) {
  Optimizer optimizer(sgd(1));
  Array parameter = makeArray(Element::F32, {2}, {1, 2});
  EXPECT_EQ(llvm::toString(optimizer.update(0, 1, parameter,
                                            makeArray(Element::F32, {1}, {1}))),
            "a parameter f32[2] has a gradient f32[1]");
  Array ids = makeArray(Element::I32, {2}, {1, 2});
  EXPECT_EQ(llvm::toString(optimizer.update(0, 1, ids, ids)),
            "a parameter i32[2] has no floats to update");
}

TEST(Train, RateFactor) {
  TrainOptions options;
  options.steps = 10;
  options.warmUp = 2;
  EXPECT_EQ(rateFactor(options, 0), 0.5);
  EXPECT_EQ(rateFactor(options, 1), 1);
  EXPECT_EQ(rateFactor(options, 9), 1);
  options.schedule = RateSchedule::Linear;
  EXPECT_EQ(rateFactor(options, 2), 1);
  EXPECT_EQ(rateFactor(options, 6), 0.5);
  EXPECT_EQ(rateFactor(options, 9), 0.125);
  options.schedule = RateSchedule::Cosine;
  EXPECT_EQ(rateFactor(options, 2), 1);
  EXPECT_NEAR(rateFactor(options, 6), 0.5, 1e-15);
}
