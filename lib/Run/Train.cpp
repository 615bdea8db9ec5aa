//===- Train.cpp - a training of many steps -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Train.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double memopt::run::rateFactor(const TrainOptions &options, int64_t number) {
  if (number < options.warmUp)
    return double(number + 1) / double(options.warmUp);
  double done = double(number - options.warmUp) /
                double(std::max<int64_t>(options.steps - options.warmUp, 1));
  switch (options.schedule) {
  case RateSchedule::Constant:
    return 1;
  case RateSchedule::Linear:
    return 1 - done;
  case RateSchedule::Cosine:
    return (1 + std::cos(3.14159265358979323846 * done)) / 2;
  }
  return 1;
}

static Error checkScalars(const StepInterface &step,
                          const TrainOptions &options) {
  std::vector<size_t> scalars = options.watched;
  scalars.push_back(0);
  for (size_t number : scalars) {
    if (number >= step.results.size())
      return makeError("the step has %zu results, so none of number %zu",
                       step.results.size(), number);
    if (numElements(step.results[number].type) != 1)
      return makeError("result %zu is %s, no scalar: a training needs the loss "
                       "as result 0 and watches scalars",
                       number, toString(step.results[number].type).c_str());
  }
  return Error::success();
}

static double scalar(const Execution &execution, size_t result) {
  return elementAt(execution.result(result), 0);
}

/// One pass over the evaluation batches; the parameters stay as they are.
static Expected<Evaluation>
evaluate(Execution &execution, const TrainOptions &options, int64_t step) {
  std::vector<size_t> overwritten = donatedArguments(execution.interface());
  llvm::append_range(overwritten, options.evaluation->arguments());
  Expected<SavedInputs> saved = SavedInputs::save(execution, overwritten);
  if (!saved)
    return saved.takeError();
  Evaluation sum;
  sum.step = step;
  sum.watched.resize(options.watched.size());
  int64_t count = options.evaluation->count();
  for (int64_t batch = 0; batch < count; ++batch) {
    options.evaluation->load(batch, execution);
    if (Error error = execution.run())
      return error;
    sum.loss += scalar(execution, 0) / double(count);
    for (auto [value, result] : llvm::zip(sum.watched, options.watched))
      value += scalar(execution, result) / double(count);
    saved->restore(execution);
  }
  return sum;
}

static Error updateParameters(Execution &execution, Optimizer &optimizer,
                              const TrainOptions &options, int64_t number) {
  double rate = options.optimizer.rate * rateFactor(options, number);
  for (auto [slot, gradient] : llvm::enumerate(options.gradients))
    if (Error error = optimizer.update(slot, rate,
                                       execution.arguments()[gradient.argument],
                                       execution.result(gradient.result)))
      return error;
  return Error::success();
}

/// One step of the training on the arguments as they are.
static Error trainStep(Execution &execution, Optimizer &optimizer,
                       const TrainOptions &options, int64_t number,
                       TrainResult &result) {
  if (options.data)
    options.data->load(number, execution);
  if (options.reference)
    if (Error error = options.reference->runBefore(execution))
      return error;
  if (Error error = execution.run())
    return error;
  result.seconds.push_back(execution.seconds());
  double loss = scalar(execution, 0);
  result.losses.push_back(loss);
  if (!std::isfinite(loss))
    return makeError("the loss of step %lld is %s", (long long)number + 1,
                     std::isnan(loss) ? "NaN" : "infinite");
  if (options.reference)
    result.differences.push_back(options.reference->compare(execution));
  std::vector<double> &watched = result.watched.emplace_back();
  for (size_t number : options.watched)
    watched.push_back(scalar(execution, number));
  Clock::time_point start = Clock::now();
  Error error = updateParameters(execution, optimizer, options, number);
  result.optimizerSeconds += secondsSince(start);
  return error;
}

static bool isInterrupted(const TrainOptions &options) {
  return options.interrupted && *options.interrupted;
}

Expected<TrainResult>
memopt::run::train(Execution &execution, const TrainOptions &options,
                   llvm::function_ref<void(int64_t, double)> progress) {
  if (Error error = checkScalars(execution.interface(), options))
    return error;
  TrainResult result;
  Optimizer optimizer(options.optimizer);
  for (int64_t done = 0; done < options.steps && !isInterrupted(options);) {
    if (Error error = trainStep(execution, optimizer, options, done, result))
      return error;
    progress(++done, result.losses.back());
    bool isDue = done == options.steps ||
                 (options.evaluateEvery && done % options.evaluateEvery == 0);
    if (!options.evaluation || !isDue)
      continue;
    Expected<Evaluation> evaluation = evaluate(execution, options, done);
    if (!evaluation)
      return evaluation.takeError();
    result.evaluations.push_back(std::move(*evaluation));
  }
  result.interrupted = isInterrupted(options);
  result.optimizerBytes = optimizer.stateBytes();
  return result;
}
