//===- Options.cpp - the command line of mem-run --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "MemOpt/Run/ObjectCache.h"
#include "llvm/Support/CommandLine.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
namespace cl = llvm::cl;

enum class Target { Cpu, Emulator, Cuda };

static cl::OptionCategory category("mem-run's options");

static cl::opt<std::string> step(cl::Positional, cl::Required,
                                 cl::desc("STEP (.mlir, .o, .so)"),
                                 cl::cat(category));
static cl::opt<Target>
    target("target", cl::desc("where the step runs:"),
           cl::values(clEnumValN(Target::Cpu, "cpu", "this machine's CPU"),
                      clEnumValN(Target::Emulator, "emulator",
                                 "code for GPUs on the CPU, checked"),
                      clEnumValN(Target::Cuda, "cuda", "an NVIDIA GPU")),
           cl::init(Target::Cpu), cl::cat(category));
static cl::opt<std::string>
    inputs("inputs", cl::desc("arguments arg0, arg1, ... (default: random)"),
           cl::value_desc("x.npz"), cl::cat(category));
static cl::opt<std::string>
    expect("expect",
           cl::desc("references resI and res64_I: exit 1 where a result of the "
                    "last run is not within tolerance"),
           cl::value_desc("y.npz"), cl::cat(category));
static cl::opt<double>
    rtol("rtol", cl::desc("error over norm that --expect allows (1e-5)"),
         cl::init(1e-5), cl::cat(category));
static cl::opt<std::string>
    save("save", cl::desc("write the last run's results res0, res1, ..."),
         cl::value_desc("out.npz"), cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("of random arguments (0)"),
                              cl::init(0), cl::cat(category));
static cl::list<std::string>
    intRange("int-range",
             cl::desc("random integers, for all arguments or for one (0..1)"),
             cl::value_desc("[ARG:]LOW..HIGH"), cl::cat(category));
static cl::opt<int64_t> repeat("repeat", cl::desc("timed runs (1)"),
                               cl::init(1), cl::cat(category));
static cl::opt<int64_t> threads("num-threads",
                                cl::desc("of the step (0: OpenMP's default)"),
                                cl::init(0), cl::cat(category));
static cl::opt<bool> allowNaN("allow-nan", cl::desc("take inputs with a NaN"),
                              cl::cat(category));
static cl::opt<bool>
    measureBytes("measure",
                 cl::desc("measure bytes, in three runs before the "
                          "timed ones (true)"),
                 cl::init(true), cl::cat(category));

// Targets that are GPUs.
static cl::opt<std::string>
    nvvm("nvvm",
         cl::desc("options of memopt-to-nvvm, as 'chip=sm_80 tf32=true'"),
         cl::value_desc("options"), cl::cat(category));
static cl::opt<int> deviceNumber("device", cl::desc("which GPU (0)"),
                                 cl::init(0), cl::cat(category));
static cl::opt<bool> kernelTimes("kernel-times",
                                 cl::desc("time each kernel, in one more run"),
                                 cl::cat(category));
static cl::opt<std::string>
    threadOrder("thread-order",
                cl::desc("of the emulator: forward (default) or reverse"),
                cl::init("forward"), cl::cat(category));
static cl::opt<bool>
    checkAccesses("check-accesses",
                  cl::desc("of the emulator, on each access (true)"),
                  cl::init(true), cl::cat(category));
static cl::opt<int64_t> deviceBytes("device-bytes",
                                    cl::desc("memory of the emulated device"),
                                    cl::cat(category));

// Compilation.
static cl::list<std::string>
    sizes("sizes", cl::CommaSeparated,
          cl::desc("of dynamic dimensions (default: those of --inputs)"),
          cl::value_desc("ARG:DIM=SIZE"), cl::cat(category));
static cl::opt<std::string>
    pipeline("pipeline",
             cl::desc("first run memopt-pipeline with these options, as "
                      "'approximate=true peak-budget=1GiB'"),
             cl::value_desc("options"), cl::cat(category));
static cl::opt<unsigned> level("opt-level",
                               cl::desc("optimisation of the code, 0 to 3 (2)"),
                               cl::init(2), cl::cat(category));
static cl::opt<std::string> saveObject("save-object",
                                       cl::desc("write the compiled step"),
                                       cl::value_desc("step.o"),
                                       cl::cat(category));
static cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("compiled steps (default: mem-opt in XDG_CACHE_HOME or "
                      "~/.cache)"),
             cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> noCache("no-cache", cl::desc("compile again"),
                             cl::cat(category));
static cl::opt<bool> compileOnly(
    "compile-only",
    cl::desc("compile into the cache or --save-object, run nothing"),
    cl::cat(category));

// Training.
static cl::opt<int64_t> steps("steps", cl::desc("train for so many steps"),
                              cl::cat(category));
static cl::opt<OptimizerKind> optimizer(
    "optimizer", cl::desc("what updates the parameters:"),
    cl::values(clEnumValN(OptimizerKind::Sgd, "sgd", "torch.optim.SGD"),
               clEnumValN(OptimizerKind::AdamW, "adamw", "torch.optim.AdamW"),
               clEnumValN(OptimizerKind::None, "none", "nothing")),
    cl::init(OptimizerKind::Sgd), cl::cat(category));
static cl::opt<double> rate("lr", cl::desc("learning rate (1e-3)"),
                            cl::init(1e-3), cl::cat(category));
static cl::opt<double> momentum("momentum", cl::desc("of SGD (0)"), cl::init(0),
                                cl::cat(category));
static cl::opt<double> dampening("dampening", cl::desc("of SGD (0)"),
                                 cl::init(0), cl::cat(category));
static cl::opt<bool> nesterov("nesterov", cl::desc("Nesterov's momentum"),
                              cl::cat(category));
static cl::opt<std::string> betas("betas", cl::desc("of AdamW (0.9,0.999)"),
                                  cl::init("0.9,0.999"), cl::cat(category));
static cl::opt<double> epsilon("eps", cl::desc("of AdamW (1e-8)"),
                               cl::init(1e-8), cl::cat(category));
static cl::opt<double> weightDecay("weight-decay",
                                   cl::desc("AdamW: 0.01, SGD: 0 by default"),
                                   cl::cat(category));
static cl::opt<RateSchedule> schedule(
    "schedule", cl::desc("of the learning rate:"),
    cl::values(clEnumValN(RateSchedule::Constant, "constant", "the default"),
               clEnumValN(RateSchedule::Linear, "linear", "falls to 0"),
               clEnumValN(RateSchedule::Cosine, "cosine", "falls to 0")),
    cl::init(RateSchedule::Constant), cl::cat(category));
static cl::opt<int64_t> warmUp("warmup",
                               cl::desc("steps in which the rate rises (0)"),
                               cl::init(0), cl::cat(category));
static cl::opt<std::string>
    data("data", cl::desc("batches: arrays argI with a leading dimension"),
         cl::value_desc("batches.npz"), cl::cat(category));
static cl::opt<std::string> evaluationData("eval-data",
                                           cl::desc("batches to evaluate on"),
                                           cl::value_desc("batches.npz"),
                                           cl::cat(category));
static cl::opt<std::string>
    reference("reference",
              cl::desc("a step, compiled without --pipeline, that runs on the "
                       "arguments of each step of the training"),
              cl::value_desc("step"), cl::cat(category));
static cl::opt<int64_t>
    evaluateEvery("eval-every",
                  cl::desc("steps between evaluations (0: at the end only)"),
                  cl::init(0), cl::cat(category));
static cl::list<size_t>
    watched("watch", cl::CommaSeparated,
            cl::desc("scalar results to report at every step, by number"),
            cl::cat(category));
static cl::opt<std::string>
    names("names",
          cl::desc("names of arguments and results, as a capture writes them "
                   "(default: STEP.json where it is there)"),
          cl::value_desc("step.json"), cl::cat(category));
static cl::opt<std::string> parameters(
    "parameters",
    cl::desc("the arguments whose gradients results 1, 2, ... are, as 0-5,8"),
    cl::value_desc("list"), cl::cat(category));
static cl::opt<std::string>
    saveParameters("save-params",
                   cl::desc("write all arguments as the training left them"),
                   cl::value_desc("params.npz"), cl::cat(category));

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// A pair as `0.9,0.999`, each within [0, 1).
static Error parseBetas(OptimizerOptions &options) {
  auto [first, second] = llvm::StringRef(betas).split(',');
  bool isRead = !first.trim().getAsDouble(options.beta1) &&
                !second.trim().getAsDouble(options.beta2);
  auto isWithin = [](double beta) { return beta >= 0 && beta < 1; };
  if (isRead && isWithin(options.beta1) && isWithin(options.beta2))
    return Error::success();
  return makeError("--betas takes two numbers from 0 to below 1, as 0.9,0.999, "
                   "not '%s'",
                   betas.c_str());
}

static Error checkNumber(llvm::StringRef option, double value) {
  if (std::isfinite(value) && value >= 0)
    return Error::success();
  return makeError("--%s takes a number that is not negative, not %g",
                   option.str().c_str(), value);
}

static Error checkCount(llvm::StringRef option, int64_t value, int64_t least) {
  if (value >= least)
    return Error::success();
  return makeError("--%s takes a whole number from %lld, not %lld",
                   option.str().c_str(), (long long)least, (long long)value);
}

static Error checkValues() {
  if (level > 3)
    return makeError("--opt-level takes 0, 1, 2 or 3, not %u",
                     level.getValue());
  std::pair<llvm::StringRef, double> numbers[] = {
      {"rtol", rtol},         {"lr", rate},
      {"momentum", momentum}, {"dampening", dampening},
      {"eps", epsilon},       {"weight-decay", weightDecay}};
  for (auto [option, value] : numbers)
    if (Error error = checkNumber(option, value))
      return error;
  if (nesterov && (momentum == 0 || dampening != 0))
    return makeError("--nesterov needs --momentum and no --dampening");
  std::tuple<llvm::StringRef, int64_t, int64_t> counts[] = {
      {"repeat", repeat, 1},
      {"num-threads", threads, 0},
      {"steps", steps.getNumOccurrences() ? int64_t(steps) : 1, 1},
      {"warmup", warmUp, 0},
      {"eval-every", evaluateEvery, 0}};
  for (auto [option, value, least] : counts)
    if (Error error = checkCount(option, value, least))
      return error;
  return Error::success();
}

/// What belongs to one target is refused with another.
static Error checkTarget() {
  const cl::Option *ofDevices[] = {&nvvm, &deviceNumber, &kernelTimes};
  for (const cl::Option *option : ofDevices)
    if (target == Target::Cpu && option->getNumOccurrences())
      return makeError("--%s needs --target=emulator or --target=cuda",
                       option->ArgStr.str().c_str());
  const cl::Option *ofEmulator[] = {&threadOrder, &checkAccesses, &deviceBytes};
  for (const cl::Option *option : ofEmulator)
    if (target != Target::Emulator && option->getNumOccurrences())
      return makeError("--%s needs --target=emulator",
                       option->ArgStr.str().c_str());
  return Error::success();
}

/// What belongs to a training is refused without one.
static Error checkTraining() {
  if (steps.getNumOccurrences())
    return Error::success();
  const cl::Option *options[] = {&optimizer,     &rate,
                                 &momentum,      &dampening,
                                 &nesterov,      &betas,
                                 &epsilon,       &warmUp,
                                 &schedule,      &weightDecay,
                                 &data,          &evaluationData,
                                 &evaluateEvery, std::addressof(watched),
                                 &reference,     &parameters,
                                 &saveParameters};
  for (const cl::Option *option : options)
    if (option->getNumOccurrences())
      return makeError("--%s needs --steps", option->ArgStr.str().c_str());
  return Error::success();
}

/// What belongs to a run is refused without one.
static Error checkCompileOnly() {
  const cl::Option *options[] = {&inputs, &expect, &save, &repeat, &steps};
  for (const cl::Option *option : options)
    if (compileOnly && option->getNumOccurrences())
      return makeError("--%s needs a run, and --compile-only has none",
                       option->ArgStr.str().c_str());
  return Error::success();
}

/// The sizes of --sizes, else those of the arrays in --inputs.
static Expected<std::vector<std::string>> getSizes() {
  if (!sizes.empty() || inputs.empty())
    return std::vector<std::string>(sizes.begin(), sizes.end());
  Expected<NpzReader> file = NpzReader::open(inputs);
  if (!file)
    return file.takeError();
  return readSizes(*file);
}

static OptimizerOptions optimizerOptions() {
  OptimizerOptions options;
  options.kind = optimizer;
  options.rate = rate;
  options.momentum = momentum;
  options.dampening = dampening;
  options.nesterov = nesterov;
  options.epsilon = epsilon;
  // The defaults of torch.optim.
  bool isAdamW = optimizer == OptimizerKind::AdamW;
  options.weightDecay = weightDecay.getNumOccurrences() ? double(weightDecay)
                        : isAdamW                       ? 1e-2
                                                        : 0;
  return options;
}

static void readTarget(ToolOptions &options) {
  if (target == Target::Cpu)
    return;
  bool isEmulator = target == Target::Emulator;
  options.device = isEmulator ? Device::Kind::Emulator : Device::Kind::Cuda;
  options.deviceNumber = deviceNumber;
  options.kernelTimes = kernelTimes;
  options.load.nvvm = nvvm;
  if (!llvm::StringRef(nvvm).contains("format="))
    *options.load.nvvm += isEmulator ? " format=llvm" : " format=fatbin";
  if (!isEmulator)
    return;
  options.deviceOptions.emplace_back("cache", options.load.cacheFolder);
  options.deviceOptions.emplace_back("thread-order", threadOrder);
  options.deviceOptions.emplace_back("checks", checkAccesses ? "on" : "off");
  if (deviceBytes.getNumOccurrences())
    options.deviceOptions.emplace_back("memory-bytes",
                                       std::to_string(deviceBytes));
}

Expected<ToolOptions> memopt::run::parseOptions(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles and runs a training step, or trains with it\n");
  if (Error error = checkValues())
    return error;
  if (Error error = checkTarget())
    return error;
  if (Error error = checkTraining())
    return error;
  if (Error error = checkCompileOnly())
    return error;
  ToolOptions options;
  for (const std::string &text : intRange) {
    Expected<IntRange> range = parseIntRange(text);
    if (!range)
      return range.takeError();
    options.intRanges.push_back(*range);
  }
  options.step = step;
  options.inputs = inputs;
  options.expect = expect;
  options.names = names;
  options.parameters = parameters;
  options.data = data;
  options.evaluationData = evaluationData;
  options.reference = reference;
  options.save = save;
  options.saveParameters = saveParameters;
  if (pipeline.getNumOccurrences())
    options.load.pipeline = pipeline;
  options.load.sizes = getSizes;
  options.load.level = level;
  options.load.saveObject = saveObject;
  if (!noCache)
    options.load.cacheFolder =
        cacheDir.empty() ? defaultCacheFolder() : cacheDir.getValue();
  readTarget(options);
  options.rtol = rtol;
  options.seed = seed;
  options.repeat = repeat;
  options.threads = threads;
  if (steps.getNumOccurrences())
    options.steps = steps;
  options.optimizer = optimizerOptions();
  if (Error error = parseBetas(options.optimizer))
    return error;
  options.schedule = schedule;
  options.warmUp = warmUp;
  options.evaluateEvery = evaluateEvery;
  options.watched.assign(watched.begin(), watched.end());
  options.allowNaN = allowNaN;
  options.measure = measureBytes;
  options.compileOnly = compileOnly;
  return options;
}
