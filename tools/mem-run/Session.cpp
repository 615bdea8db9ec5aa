//===- Session.cpp - from a command line to a report ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "MemOpt/Runtime/Cpu.h"
#include "Progress.h"
#include "llvm/Support/FileSystem.h"
#include <climits>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static volatile std::sig_atomic_t interrupted = 0;

/// The first Ctrl-C ends the training after its step, the second the program.
static void onInterrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

//===----------------------------------------------------------------------===//
// Before the first run
//===----------------------------------------------------------------------===//

/// The names file given, or the one beside the step.
static std::string findNames(const ToolOptions &options) {
  if (!options.names.empty())
    return options.names;
  StringRef stem(options.step);
  for (StringRef ending : {".mlir", ".mlirbc", ".o", ".so"})
    if (stem.consume_back(ending))
      break;
  std::string beside = (stem + ".json").str();
  return llvm::sys::fs::exists(beside) ? beside : "";
}

static Error readNames(const ToolOptions &options, Outcome &outcome) {
  std::string file = findNames(options);
  if (file.empty())
    return Error::success();
  Expected<StepNames> names =
      readStepNames(file, outcome.loaded->step.interface());
  if (!names)
    return names.takeError();
  outcome.names = std::move(*names);
  return Error::success();
}

static Expected<std::vector<Array>> getArguments(const ToolOptions &options,
                                                 const StepInterface &step) {
  if (options.inputs.empty())
    return randomArguments(step, options.seed, options.intRanges);
  Expected<NpzReader> file = NpzReader::open(options.inputs);
  if (!file)
    return file.takeError();
  Expected<std::vector<Array>> arguments = readArguments(*file, step);
  if (arguments && !options.allowNaN)
    if (Error error = refuseNaN(*arguments, options.inputs))
      return makeError("%s (--allow-nan takes it)",
                       llvm::toString(std::move(error)).c_str());
  return arguments;
}

/// Refuses a step that does not fit, before any of it is asked for.
static Error checkRoom(const StepInterface &step) {
  Expected<Arena> arena = Arena::create(step.arenaBytes, step.argumentBytes());
  return arena ? Error::success() : arena.takeError();
}

/// The same for a device: all of the step's memory at once, and given back.
static Error checkRoom(const StepInterface &step, Device &device) {
  int64_t bytes;
  if (__builtin_add_overflow(step.arenaBytes, step.argumentBytes(), &bytes))
    bytes = INT64_MAX;
  Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, bytes);
  if (buffer)
    return Error::success();
  return makeError("the step needs an arena of %lld bytes and %lld bytes of "
                   "arguments: %s",
                   (long long)step.arenaBytes, (long long)step.argumentBytes(),
                   llvm::toString(buffer.takeError()).c_str());
}

static Expected<std::vector<Gradient>> getGradients(const ToolOptions &options,
                                                    const Outcome &outcome) {
  const StepInterface &step = outcome.loaded->step.interface();
  if (options.optimizer.kind == OptimizerKind::None)
    return std::vector<Gradient>();
  if (!options.parameters.empty())
    return gradientsByList(options.parameters, step);
  if (outcome.names)
    return gradientsByName(*outcome.names, step);
  return gradientsByPosition(step);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static Error runOnce(const ToolOptions &options, Execution &execution,
                     Outcome &outcome) {
  Expected<SavedInputs> donated =
      SavedInputs::save(execution, donatedArguments(execution.interface()));
  if (!donated)
    return donated.takeError();
  for (int64_t i = 0; i < options.repeat && !interrupted; ++i) {
    donated->restore(execution);
    if (Error error = execution.run())
      return error;
    outcome.seconds.push_back(execution.seconds());
  }
  outcome.interrupted = interrupted;
  const StepInterface &step = execution.interface();
  if (!step.results.empty() && numElements(step.results[0].type) == 1 &&
      !outcome.interrupted)
    outcome.loss = elementAt(execution.result(0), 0);
  return Error::success();
}

static Expected<std::optional<Batches>> readBatches(const std::string &path,
                                                    const StepInterface &step) {
  if (path.empty())
    return std::nullopt;
  Expected<NpzReader> file = NpzReader::open(path);
  if (!file)
    return file.takeError();
  Expected<Batches> batches = Batches::read(*file, step);
  if (!batches)
    return batches.takeError();
  return std::move(*batches);
}

/// The step of --reference, which `loaded` keeps, on its own arguments.
static Expected<std::optional<ReferenceStep>>
loadReference(const ToolOptions &options, const StepInterface &step,
              Device *device, std::optional<LoadedStep> &loaded) {
  if (options.reference.empty())
    return std::nullopt;
  LoadOptions load = options.load;
  load.pipeline.reset();
  load.saveObject.clear();
  Expected<LoadedStep> found = loadStep(options.reference, load);
  if (!found)
    return found.takeError();
  loaded = std::move(*found);
  Expected<ReferenceStep> reference =
      ReferenceStep::create(loaded->step, step, device);
  if (!reference)
    return makeError("--reference: %s",
                     llvm::toString(reference.takeError()).c_str());
  return std::move(*reference);
}

/// What the command line says of a training, without its data.
static TrainOptions getTrainOptions(const ToolOptions &options) {
  TrainOptions training;
  training.steps = *options.steps;
  training.optimizer = options.optimizer;
  training.schedule = options.schedule;
  training.warmUp = options.warmUp;
  training.evaluateEvery = options.evaluateEvery;
  training.watched = options.watched;
  training.interrupted = &interrupted;
  return training;
}

static Error runTraining(const ToolOptions &options, Execution &execution,
                         Outcome &outcome) {
  Expected<std::vector<Gradient>> gradients = getGradients(options, outcome);
  if (!gradients)
    return gradients.takeError();
  Expected<std::optional<Batches>> data =
      readBatches(options.data, execution.interface());
  if (!data)
    return data.takeError();
  Expected<std::optional<Batches>> evaluation =
      readBatches(options.evaluationData, execution.interface());
  if (!evaluation)
    return evaluation.takeError();
  std::optional<LoadedStep> loaded;
  Expected<std::optional<ReferenceStep>> reference = loadReference(
      options, execution.interface(), outcome.device.get(), loaded);
  if (!reference)
    return reference.takeError();
  TrainOptions training = getTrainOptions(options);
  training.gradients = std::move(*gradients);
  training.data = *data ? &**data : nullptr;
  training.evaluation = *evaluation ? &**evaluation : nullptr;
  training.reference = *reference ? &**reference : nullptr;
  Progress progress(training.steps);
  Expected<TrainResult> result =
      train(execution, training,
            [&](int64_t done, double loss) { progress.show(done, loss); });
  if (!result)
    return result.takeError();
  outcome.training = std::move(*result);
  outcome.interrupted = outcome.training->interrupted;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// After the last run
//===----------------------------------------------------------------------===//

static Error checkResults(const ToolOptions &options, const NpzReader &expected,
                          Execution &execution, Outcome &outcome) {
  std::vector<ArrayView> results;
  for (size_t i = 0; i < execution.interface().results.size(); ++i)
    results.push_back(execution.result(i));
  Expected<std::vector<Check>> checks =
      compareResults(results, expected, options.rtol);
  if (!checks)
    return checks.takeError();
  outcome.checks = std::move(*checks);
  for (const Check &check : outcome.checks)
    outcome.ok &= check.ok();
  return Error::success();
}

static Error saveArrays(const ToolOptions &options, Execution &execution) {
  std::vector<NamedArray> arrays;
  for (size_t i = 0; i < execution.interface().results.size(); ++i)
    arrays.push_back({"res" + std::to_string(i), execution.result(i)});
  if (!options.save.empty())
    if (Error error = writeNpz(options.save, arrays))
      return error;
  arrays.clear();
  for (size_t i = 0; i < execution.arguments().size(); ++i)
    arrays.push_back({"arg" + std::to_string(i), execution.arguments()[i]});
  if (!options.saveParameters.empty())
    return writeNpz(options.saveParameters, arrays);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static Error openDevice(const ToolOptions &options, Outcome &outcome) {
  if (!options.device)
    return Error::success();
  Expected<std::unique_ptr<Device>> device = Device::load(*options.device);
  if (!device)
    return device.takeError();
  outcome.device = std::move(*device);
  if (options.compileOnly)
    return Error::success();
  if (Error error = outcome.device->open(options.deviceNumber))
    return error;
  for (const auto &[name, value] : options.deviceOptions)
    if (Error error = outcome.device->setOption(name, value.c_str()))
      return makeError("--%s", llvm::toString(std::move(error)).c_str());
  return Error::success();
}

/// One more run, timed kernel by kernel.
static Error timeKernels(Execution &execution, Outcome &outcome) {
  Expected<SavedInputs> saved =
      SavedInputs::save(execution, donatedArguments(execution.interface()));
  if (!saved)
    return saved.takeError();
  if (Error error = outcome.device->setOption("profile", "on"))
    return error;
  if (Error error = execution.run())
    return error;
  Expected<std::vector<Device::KernelTime>> times =
      outcome.device->takeKernelTimes();
  if (!times)
    return times.takeError();
  outcome.kernelTimes = std::move(*times);
  saved->restore(execution);
  return outcome.device->setOption("profile", "off");
}

static Error measureAndRun(const ToolOptions &options, Execution &execution,
                           Outcome &outcome) {
  if (options.threads)
    memopt_cpu_set_threads(int(std::min<int64_t>(options.threads, INT_MAX)));
  if (!outcome.device)
    outcome.threads = memopt_cpu_get_threads();
  std::signal(SIGINT, onInterrupt);
  if (options.measure) {
    // The warm-up run alone might leave a thread without its workspace.
    Expected<Measurement> measurement =
        measure(execution, [] { memopt_cpu_warm_up(); });
    if (!measurement)
      return measurement.takeError();
    outcome.measurement = *measurement;
  }
  if (options.kernelTimes)
    if (Error error = timeKernels(execution, outcome))
      return error;
  return options.steps ? runTraining(options, execution, outcome)
                       : runOnce(options, execution, outcome);
}

Error memopt::run::runSession(const ToolOptions &options, Outcome &outcome) {
  // Before the compilation: a wrong file name is said at once, and so is a
  // device that is not there.
  std::optional<NpzReader> expected;
  if (!options.expect.empty()) {
    Expected<NpzReader> file = NpzReader::open(options.expect);
    if (!file)
      return file.takeError();
    expected = std::move(*file);
  }
  if (Error error = openDevice(options, outcome))
    return error;
  Expected<LoadedStep> loaded = loadStep(options.step, options.load);
  if (!loaded)
    return loaded.takeError();
  outcome.loaded = std::move(*loaded);
  if (options.compileOnly)
    return Error::success();
  const StepInterface &step = outcome.loaded->step.interface();
  if (Error error =
          outcome.device ? checkRoom(step, *outcome.device) : checkRoom(step))
    return error;
  if (Error error = readNames(options, outcome))
    return error;
  Expected<std::vector<Array>> arguments = getArguments(options, step);
  if (!arguments)
    return arguments.takeError();
  Expected<Execution> execution = Execution::create(
      outcome.loaded->step, std::move(*arguments), outcome.device.get());
  if (!execution)
    return execution.takeError();
  if (Error error = measureAndRun(options, *execution, outcome))
    return error;
  if (outcome.interrupted) {
    outcome.ok = false;
    return Error::success();
  }
  if (expected)
    if (Error error = checkResults(options, *expected, *execution, outcome))
      return error;
  return saveArrays(options, *execution);
}
