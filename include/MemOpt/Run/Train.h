//===- Train.h - a training of many steps -----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_TRAIN_H
#define MEMOPT_RUN_TRAIN_H

#include "MemOpt/Run/Inputs.h"
#include "MemOpt/Run/Optimizer.h"
#include "MemOpt/Run/ReferenceStep.h"
#include "MemOpt/Run/StepNames.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <csignal>

namespace memopt::run {

enum class RateSchedule {
  Constant,
  /// From the full rate at the first step after the warm-up to 0 after the
  /// last.
  Linear,
  Cosine
};

struct TrainOptions {
  int64_t steps = 1;
  OptimizerOptions optimizer;
  std::vector<Gradient> gradients;
  RateSchedule schedule = RateSchedule::Constant;
  /// Steps in which the rate rises linearly to the full one.
  int64_t warmUp = 0;
  /// Batches of the training; null: the arguments stay as they are.
  const Batches *data = nullptr;
  /// Batches on which the step runs without an update, after every
  /// `evaluateEvery` steps and after the last; null: none.
  const Batches *evaluation = nullptr;
  int64_t evaluateEvery = 0;
  /// Runs on the arguments of each step of the training; null: none.
  ReferenceStep *reference = nullptr;
  /// Scalar results, beside the loss, whose values are kept.
  std::vector<size_t> watched;
  /// Set by a signal: the training ends after the step at work.
  const volatile std::sig_atomic_t *interrupted = nullptr;
};

/// The means over all evaluation batches.
struct Evaluation {
  int64_t step = 0; ///< after so many steps
  double loss = 0;
  std::vector<double> watched;
};

struct TrainResult {
  std::vector<double> losses;
  /// For each step the watched results.
  std::vector<std::vector<double>> watched;
  std::vector<Evaluation> evaluations;
  /// For each step how far it is from the reference.
  std::vector<StepDifference> differences;
  /// Of each step's call, without optimizer and data.
  std::vector<double> seconds;
  double optimizerSeconds = 0;
  int64_t optimizerBytes = 0;
  bool interrupted = false;
};

/// The share of the full rate in step `number` (from 0) of `steps`.
double rateFactor(const TrainOptions &options, int64_t number);

/// Trains: in each step the next batch, the step, an update of each parameter
/// by its gradient. An error where a loss is NaN or infinite, which names the
/// step. `progress(steps done, last loss)` is called after each step.
llvm::Expected<TrainResult>
train(Execution &execution, const TrainOptions &options,
      llvm::function_ref<void(int64_t, double)> progress);

} // namespace memopt::run

#endif // MEMOPT_RUN_TRAIN_H
