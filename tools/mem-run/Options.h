//===- Options.h - the command line of mem-run ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TOOLS_MEM_RUN_OPTIONS_H
#define MEMOPT_TOOLS_MEM_RUN_OPTIONS_H

#include "MemOpt/Run/Inputs.h"
#include "MemOpt/Run/LoadStep.h"
#include "MemOpt/Run/Optimizer.h"
#include "MemOpt/Run/Train.h"

namespace memopt::run {

struct ToolOptions {
  /// None: this machine's CPU.
  std::optional<Device::Kind> device;
  int deviceNumber = 0;
  /// As memopt_gpu_set_option takes them.
  std::vector<std::pair<const char *, std::string>> deviceOptions;
  bool kernelTimes = false;
  std::string step, inputs, expect, names, parameters;
  std::string data, evaluationData, reference, save, saveParameters;
  LoadOptions load;
  std::vector<IntRange> intRanges;
  double rtol = 0;
  uint64_t seed = 0;
  int64_t repeat = 1;
  /// Of the step; 0: OpenMP's default.
  int64_t threads = 0;
  /// None: one run, no update.
  std::optional<int64_t> steps;
  OptimizerOptions optimizer;
  RateSchedule schedule = RateSchedule::Constant;
  int64_t warmUp = 0, evaluateEvery = 0;
  std::vector<size_t> watched;
  bool allowNaN = false, measure = true, compileOnly = false;
};

/// Reads the command line. What LLVM's parser refuses ends the program with its
/// message; values that it cannot judge are an error.
llvm::Expected<ToolOptions> parseOptions(int argc, char **argv);

} // namespace memopt::run

#endif // MEMOPT_TOOLS_MEM_RUN_OPTIONS_H
