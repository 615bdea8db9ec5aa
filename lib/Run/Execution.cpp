//===- Execution.cpp - a step with its arguments and arena ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Execution.h"
#include "DeviceExecution.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

Execution::Execution(Execution &&) noexcept = default;
Execution &Execution::operator=(Execution &&) noexcept = default;
Execution::~Execution() = default;

Execution::Execution(const CompiledStep &step, std::vector<Array> arguments)
    : step(&step), arrays(std::move(arguments)) {
  for (Array &array : arrays)
    pointers.push_back(array.data());
}

Expected<Execution> Execution::create(const CompiledStep &step,
                                      std::vector<Array> arguments,
                                      Device *device) {
  const StepInterface &interface = step.interface();
  if (interface.isForGpu && !device)
    return makeError("the step is code for GPUs, and runs on the targets "
                     "emulator and cuda");
  if (!interface.isForGpu && device)
    return makeError("the step is code for the CPU, and runs on the target "
                     "cpu");
  if (arguments.size() != interface.arguments.size())
    return makeError("the step takes %zu arguments, not %zu",
                     interface.arguments.size(), arguments.size());
  for (auto [i, array] : llvm::enumerate(arguments))
    if (array.type() != interface.arguments[i].type)
      return makeError("argument %zu is %s, the step takes %s", i,
                       toString(array.type()).c_str(),
                       toString(interface.arguments[i].type).c_str());
  Execution execution(step, std::move(arguments));
  if (device) {
    Expected<std::unique_ptr<DeviceExecution>> remote =
        DeviceExecution::create(step, *device);
    if (!remote)
      return remote.takeError();
    execution.remote = std::move(*remote);
    return execution;
  }
  Expected<Arena> arena = Arena::create(interface.arenaBytes);
  if (!arena)
    return arena.takeError();
  execution.memory = std::move(*arena);
  return execution;
}

Error Execution::run() {
  if (remote)
    return remote->run(arrays, lastSeconds);
  auto start = std::chrono::steady_clock::now();
  step->call(pointers.data(), memory->data());
  lastSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return Error::success();
}

ArrayView Execution::result(size_t number) const {
  const StepResult &result = interface().results[number];
  const char *data = result.argument ? arrays[*result.argument].data()
                     : remote        ? remote->result(number).data()
                                     : memory->data() + result.offset;
  return {result.type, data};
}

Expected<SavedInputs> SavedInputs::save(Execution &execution,
                                        llvm::ArrayRef<size_t> numbers) {
  SavedInputs saved;
  saved.globals = execution.globals().vec();
  for (size_t number : numbers) {
    Expected<Array> copy = execution.arguments()[number].copy();
    if (!copy)
      return copy.takeError();
    saved.copies.emplace_back(number, std::move(*copy));
  }
  return saved;
}

void SavedInputs::restore(Execution &execution) const {
  for (const auto &[number, copy] : copies)
    std::memcpy(execution.arguments()[number].data(), copy.data(),
                copy.bytes());
  llvm::copy(globals, execution.globals().begin());
}

std::vector<size_t> memopt::run::donatedArguments(const StepInterface &step) {
  std::vector<size_t> numbers;
  for (auto [i, argument] : llvm::enumerate(step.arguments))
    if (argument.donated)
      numbers.push_back(i);
  return numbers;
}
