//===- Report.cpp - mem-run's JSON ----------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace memopt::run;
namespace json = llvm::json;

/// JSON has no NaN and no infinity.
static json::Value number(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Array numbers(llvm::ArrayRef<double> values) {
  json::Array array;
  for (double value : values)
    array.push_back(number(value));
  return array;
}

static json::Value median(std::vector<double> values) {
  if (values.empty())
    return nullptr;
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  return values[middle];
}

static void reportChecks(const Outcome &outcome, json::Object &object) {
  if (outcome.checks.empty())
    return;
  double largest = 0;
  for (const Check &check : outcome.checks)
    largest = std::isnan(check.relative())
                  ? check.relative()
                  : std::max(check.relative(), largest);
  const Check *found = worst(outcome.checks);
  object["max_rel_error"] = number(largest);
  object["worst_result"] = "res" + std::to_string(found->result);
  if (outcome.names)
    object["worst_name"] = outcome.names->results[found->result].name;
  object["worst_rel_error"] = number(found->relative());
  object["worst_share_of_tolerance"] = number(found->share());
  object["results_within_tolerance"] =
      llvm::count_if(outcome.checks, [](const Check &c) { return c.ok(); });
  object["results"] = int64_t(outcome.checks.size());
}

static void reportBytes(const Outcome &outcome, json::Object &object) {
  const StepInterface &step = outcome.loaded->step.interface();
  object["planned_bytes"] = step.arenaBytes;
  object["argument_bytes"] = step.argumentBytes();
  object["globals_bytes"] = step.globalsBytes;
  if (!outcome.measurement)
    return;
  const Measurement &measured = *outcome.measurement;
  object["peak_bytes"] = measured.peakBytes();
  object["touched_bytes"] = measured.touchedBytes;
  object["allocations"] = measured.allocations;
  object["allocated_bytes"] = measured.allocatedBytes;
  object["repeatable"] = measured.repeatable;
  if (measured.onDevice) {
    object["launches"] = measured.onDevice->launches;
    object["products"] = measured.onDevice->products;
    object["copies"] = measured.onDevice->copies;
    object["synchronisations"] = measured.onDevice->synchronisations;
    return;
  }
  object["library_bytes"] = measured.libraryBytes;
  object["library_allocations"] = measured.libraryAllocations;
  object["library_call_bytes"] = measured.libraryCallBytes;
  object["resident_bytes"] = measured.residentBytes
                                 ? json::Value(*measured.residentBytes)
                                 : json::Value(nullptr);
}

/// Which device, and the time of each kernel in one step.
static void reportDevice(const Outcome &outcome, json::Object &object) {
  object["target"] =
      outcome.device->kind() == Device::Kind::Emulator ? "emulator" : "cuda";
  llvm::Expected<json::Value> description =
      json::parse(outcome.device->describe());
  if (description)
    object["device"] = std::move(*description);
  else
    llvm::consumeError(description.takeError());
  json::Array times;
  for (const Device::KernelTime &time : outcome.kernelTimes)
    times.push_back(json::Object{{"kernel", time.name},
                                 {"launches", time.launches},
                                 {"seconds", 1e-9 * double(time.nanoseconds)}});
  if (!times.empty())
    object["kernels"] = std::move(times);
}

/// How far the steps are from those of --reference.
static void reportDifferences(const TrainResult &training,
                              json::Object &object) {
  if (training.differences.empty())
    return;
  std::vector<double> losses, results;
  for (const StepDifference &difference : training.differences) {
    losses.push_back(difference.loss);
    results.push_back(difference.results);
  }
  object["loss_difference"] = numbers(losses);
  object["result_difference"] = numbers(results);
}

static void reportTraining(const TrainResult &training, json::Object &object) {
  object["loss"] = numbers(training.losses);
  object["steps"] = int64_t(training.losses.size());
  object["seconds_per_step"] = median(training.seconds);
  object["optimizer_seconds"] = training.optimizerSeconds;
  object["optimizer_bytes"] = training.optimizerBytes;
  if (!training.watched.empty() && !training.watched.front().empty()) {
    json::Array watched;
    for (const std::vector<double> &values : training.watched)
      watched.push_back(numbers(values));
    object["watched"] = std::move(watched);
  }
  reportDifferences(training, object);
  json::Array evaluations;
  for (const Evaluation &evaluation : training.evaluations)
    evaluations.push_back(
        json::Object{{"step", evaluation.step},
                     {"loss", number(evaluation.loss)},
                     {"watched", numbers(evaluation.watched)}});
  if (!evaluations.empty())
    object["evaluations"] = std::move(evaluations);
}

json::Object memopt::run::report(const Outcome &outcome) {
  json::Object object;
  object["ok"] = outcome.ok;
  if (!outcome.loaded)
    return object;
  if (!outcome.device)
    object["target"] = "cpu";
  else
    reportDevice(outcome, object);
  if (outcome.threads)
    object["threads"] = outcome.threads;
  object["compile_seconds"] = outcome.loaded->compileSeconds;
  object["cached"] = outcome.loaded->fromCache;
  reportBytes(outcome, object);
  if (outcome.training) {
    reportTraining(*outcome.training, object);
  } else if (!outcome.seconds.empty()) {
    object["loss"] =
        outcome.loss ? json::Array{number(*outcome.loss)} : json::Array{};
    object["seconds_per_step"] = median(outcome.seconds);
  }
  reportChecks(outcome, object);
  if (outcome.interrupted)
    object["interrupted"] = true;
  return object;
}
