//===- Execution.cpp - a step with its arguments and arena ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Execution.h"
#include "llvm/ADT/STLExtras.h"

using namespace memopt::run;
using llvm::Expected;

Execution::Execution(const CompiledStep &step, std::vector<Array> arguments,
                     Arena arena)
    : step(&step), arrays(std::move(arguments)), memory(std::move(arena)) {
  for (Array &array : arrays)
    pointers.push_back(array.data());
}

Expected<Execution> Execution::create(const CompiledStep &step,
                                      std::vector<Array> arguments) {
  const StepInterface &interface = step.interface();
  if (arguments.size() != interface.arguments.size())
    return makeError("the step takes %zu arguments, not %zu",
                     interface.arguments.size(), arguments.size());
  for (auto [i, array] : llvm::enumerate(arguments))
    if (array.type() != interface.arguments[i].type)
      return makeError("argument %zu is %s, the step takes %s", i,
                       toString(array.type()).c_str(),
                       toString(interface.arguments[i].type).c_str());
  Expected<Arena> arena = Arena::create(interface.arenaBytes);
  if (!arena)
    return arena.takeError();
  return Execution(step, std::move(arguments), std::move(*arena));
}

void Execution::run() { step->call(pointers.data(), memory.data()); }

ArrayView Execution::result(size_t number) const {
  const StepResult &result = interface().results[number];
  const char *data = result.argument ? arrays[*result.argument].data()
                                     : memory.data() + result.offset;
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
