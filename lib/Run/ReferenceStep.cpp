//===- ReferenceStep.cpp - another step on the same arguments -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/ReferenceStep.h"
#include "MemOpt/Run/Compare.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

/// Fails where the types of the arguments or of the results are not the same.
template <typename Value>
static Error checkSame(const char *what, const std::vector<Value> &reference,
                       const std::vector<Value> &step) {
  if (reference.size() != step.size())
    return makeError("the reference has %zu %ss, the step %zu",
                     reference.size(), what, step.size());
  for (size_t i = 0; i < step.size(); ++i)
    if (reference[i].type != step[i].type)
      return makeError("%s %zu of the reference is %s, of the step %s", what, i,
                       toString(reference[i].type).c_str(),
                       toString(step[i].type).c_str());
  return Error::success();
}

Expected<ReferenceStep> ReferenceStep::create(const CompiledStep &reference,
                                              const StepInterface &step,
                                              Device *device) {
  if (Error error = checkSame("argument", reference.interface().arguments,
                              step.arguments))
    return error;
  if (Error error =
          checkSame("result", reference.interface().results, step.results))
    return error;
  std::vector<Array> arguments;
  for (const StepArgument &argument : step.arguments) {
    Expected<Array> array = Array::allocate(argument.type);
    if (!array)
      return array.takeError();
    arguments.push_back(std::move(*array));
  }
  Expected<Execution> execution =
      Execution::create(reference, std::move(arguments), device);
  if (!execution)
    return execution.takeError();
  return ReferenceStep(std::move(*execution));
}

Error ReferenceStep::runBefore(Execution &step) {
  for (auto [to, from] : llvm::zip(execution.arguments(), step.arguments()))
    std::memcpy(to.data(), from.data(), from.bytes());
  return execution.run();
}

StepDifference ReferenceStep::compare(const Execution &step) const {
  std::vector<ArrayView> results, references;
  for (size_t i = 0; i < step.interface().results.size(); ++i) {
    results.push_back(step.result(i));
    references.push_back(execution.result(i));
  }
  std::vector<Check> checks = compareResults(results, references, /*rtol=*/1);
  return {checks.front().relative(), worst(checks)->share()};
}
