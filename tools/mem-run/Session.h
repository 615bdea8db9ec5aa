//===- Session.h - from a command line to a report --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TOOLS_MEM_RUN_SESSION_H
#define MEMOPT_TOOLS_MEM_RUN_SESSION_H

#include "MemOpt/Run/Compare.h"
#include "MemOpt/Run/Measure.h"
#include "Options.h"
#include "llvm/Support/JSON.h"

namespace memopt::run {

/// What one run of the program found out, as far as it came.
struct Outcome {
  bool ok = true;
  /// Before the step, which is linked to its library.
  std::unique_ptr<Device> device;
  std::optional<LoadedStep> loaded;
  std::optional<Measurement> measurement;
  std::optional<TrainResult> training;
  /// Of single runs.
  std::vector<double> seconds;
  std::optional<double> loss;
  std::vector<Check> checks;
  std::optional<StepNames> names;
  int64_t threads = 0;
  std::vector<Device::KernelTime> kernelTimes;
  bool interrupted = false;
};

/// Does what the command line asks for; fills `outcome` along the way. An
/// `--expect` that fails is no error, but not `ok`.
llvm::Error runSession(const ToolOptions &options, Outcome &outcome);

/// The program's JSON.
llvm::json::Object report(const Outcome &outcome);

} // namespace memopt::run

#endif // MEMOPT_TOOLS_MEM_RUN_SESSION_H
