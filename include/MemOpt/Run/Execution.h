//===- Execution.h - a step with its arguments and arena --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_EXECUTION_H
#define MEMOPT_RUN_EXECUTION_H

#include "MemOpt/Run/Arena.h"
#include "MemOpt/Run/CompiledStep.h"
#include "MemOpt/Run/Device.h"
#include "llvm/ADT/ArrayRef.h"

namespace memopt::run {

class DeviceExecution;

/// What is needed to run a compiled step again and again.
class Execution {
public:
  /// `arguments` must have the step's types. `step` must outlive the result,
  /// and so must `device`, which a step for GPUs needs: arguments are copied
  /// there before each run, and results and globals back.
  static llvm::Expected<Execution> create(const CompiledStep &step,
                                          std::vector<Array> arguments,
                                          Device *device = nullptr);
  Execution(Execution &&) noexcept;
  Execution &operator=(Execution &&) noexcept;
  ~Execution();

  /// Runs the step once on the arguments as they are. On the CPU nothing fails.
  llvm::Error run();
  /// Seconds of the last run's step, without copies.
  double seconds() const { return lastSeconds; }

  /// The result of the last run, valid until the next.
  ArrayView result(size_t number) const;

  const StepInterface &interface() const { return step->interface(); }
  std::vector<Array> &arguments() { return arrays; }
  /// Of a step on the CPU.
  Arena &arena() { return *memory; }
  /// Null for a step on the CPU.
  DeviceExecution *onDevice() { return remote.get(); }
  /// What the step keeps from one run to the next.
  llvm::MutableArrayRef<char> globals() { return step->globals(); }

private:
  Execution(const CompiledStep &step, std::vector<Array> arguments);
  const CompiledStep *step;
  std::vector<Array> arrays;
  std::vector<void *> pointers;
  std::optional<Arena> memory;
  std::unique_ptr<DeviceExecution> remote;
  double lastSeconds = 0;
};

/// Copies of arguments that are about to be overwritten, and of the step's
/// globals.
class SavedInputs {
public:
  static llvm::Expected<SavedInputs> save(Execution &execution,
                                          llvm::ArrayRef<size_t> numbers);
  void restore(Execution &execution) const;

private:
  std::vector<std::pair<size_t, Array>> copies;
  std::vector<char> globals;
};

/// The arguments that each run may overwrite.
std::vector<size_t> donatedArguments(const StepInterface &step);

} // namespace memopt::run

#endif // MEMOPT_RUN_EXECUTION_H
