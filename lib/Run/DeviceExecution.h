//===- DeviceExecution.h - a step on a GPU ---------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUN_DEVICEEXECUTION_H
#define MEMOPT_LIB_RUN_DEVICEEXECUTION_H

#include "MemOpt/Run/CompiledStep.h"
#include "MemOpt/Run/Device.h"

namespace memopt::run {

/// The device's side of an execution: arguments, arena and results there and on
/// the way.
class DeviceExecution {
public:
  static llvm::Expected<std::unique_ptr<DeviceExecution>>
  create(const CompiledStep &step, Device &device);
  ~DeviceExecution();

  /// Copies arguments and globals in, runs the step, copies results, globals
  /// and what the step overwrites out. `seconds` is the step alone.
  llvm::Error run(std::vector<Array> &arguments, double &seconds);
  const Array &result(size_t number) const { return results[number]; }

  llvm::Error fillArena(uint8_t value);
  /// One past the highest byte that the step wrote since `fillArena(value)`.
  llvm::Expected<int64_t> touchedBytes(uint8_t value);

  Device &device() { return gpu; }
  /// What the last run's step did by itself.
  const memopt_gpu_counts &countsInStep() const { return inStep; }

private:
  DeviceExecution(const CompiledStep &step, Device &device, DeviceBuffer arena)
      : step(step), gpu(device), arena(std::move(arena)) {}
  llvm::Error allocateRest();
  llvm::Error copyIn(const std::vector<Array> &arguments);
  llvm::Error copyOut(std::vector<Array> &arguments);
  llvm::Error call();

  const CompiledStep &step;
  Device &gpu;
  DeviceBuffer arena;
  std::vector<DeviceBuffer> buffers;
  std::vector<void *> pointers;
  /// On the host; empty where a result lies in an argument.
  std::vector<Array> results;
  memopt_gpu_counts inStep{};
  bool hasRun = false;
  void *graph = nullptr;
};

} // namespace memopt::run

#endif // MEMOPT_LIB_RUN_DEVICEEXECUTION_H
