//===- StepNames.cpp - the names of a step's arguments and results --------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/StepNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static Error readEntries(const llvm::json::Object &object, StringRef key,
                         size_t count, StringRef path,
                         std::vector<StepNames::Entry> &entries) {
  const llvm::json::Array *list = object.getArray(key);
  if (!list || list->size() != count)
    return makeError("%s: \"%s\" has %zu entries, the step has %zu",
                     path.str().c_str(), key.str().c_str(),
                     list ? list->size() : size_t(0), count);
  for (const llvm::json::Value &value : *list) {
    const llvm::json::Object *entry = value.getAsObject();
    std::optional<StringRef> kind =
        entry ? entry->getString("kind") : std::nullopt;
    std::optional<StringRef> name =
        entry ? entry->getString("name") : std::nullopt;
    if (!kind || !name)
      return makeError("%s: an entry of \"%s\" has no kind or no name",
                       path.str().c_str(), key.str().c_str());
    entries.push_back({kind->str(), name->str()});
  }
  return Error::success();
}

Expected<StepNames> memopt::run::readStepNames(StringRef path,
                                               const StepInterface &step) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError("%s: %s", path.str().c_str(),
                     buffer.getError().message().c_str());
  Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return makeError("%s: %s", path.str().c_str(),
                     llvm::toString(value.takeError()).c_str());
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeError("%s: no JSON object", path.str().c_str());
  StepNames names;
  if (Error error = readEntries(*object, "args", step.arguments.size(), path,
                                names.arguments))
    return error;
  if (Error error = readEntries(*object, "results", step.results.size(), path,
                                names.results))
    return error;
  return names;
}

/// An error where the result has not the argument's type.
static Error checkGradient(const StepInterface &step, Gradient gradient) {
  const TensorType &result = step.results[gradient.result].type;
  const TensorType &argument = step.arguments[gradient.argument].type;
  if (result == argument && isFloat(result.element))
    return Error::success();
  return makeError("result %zu, %s, cannot be the gradient of argument %zu, %s",
                   gradient.result, toString(result).c_str(), gradient.argument,
                   toString(argument).c_str());
}

Expected<std::vector<Gradient>>
memopt::run::gradientsByName(const StepNames &names,
                             const StepInterface &step) {
  llvm::StringMap<size_t> arguments;
  for (auto [i, entry] : llvm::enumerate(names.arguments))
    arguments.try_emplace(entry.name, i);
  std::vector<Gradient> gradients;
  for (auto [i, entry] : llvm::enumerate(names.results)) {
    if (entry.kind != "grad")
      continue;
    auto found = arguments.find(entry.name);
    if (found == arguments.end())
      return makeError("result %zu is the gradient of %s, which is no argument",
                       i, entry.name.c_str());
    gradients.push_back({i, found->second});
    if (Error error = checkGradient(step, gradients.back()))
      return error;
  }
  return gradients;
}

Expected<std::vector<Gradient>>
memopt::run::gradientsByPosition(const StepInterface &step) {
  std::vector<Gradient> gradients;
  for (size_t i = 1; i < step.results.size(); ++i) {
    Gradient gradient{i, i - 1};
    if (gradient.argument >= step.arguments.size())
      return makeError("there are more gradients than arguments: say with "
                       "--names or --parameters whose they are");
    if (Error error = checkGradient(step, gradient))
      return makeError("%s: say with --names or --parameters whose it is",
                       llvm::toString(std::move(error)).c_str());
    gradients.push_back(gradient);
  }
  return gradients;
}

/// `3` or `3-7`, inclusive; numbers below `limit`.
static bool parseSpan(StringRef text, size_t limit, size_t &first,
                      size_t &last) {
  auto [from, to] = text.split('-');
  if (from.getAsInteger(10, first))
    return false;
  last = first;
  if (text.contains('-') && to.getAsInteger(10, last))
    return false;
  return first <= last && last < limit;
}

Expected<std::vector<Gradient>>
memopt::run::gradientsByList(StringRef list, const StepInterface &step) {
  std::vector<Gradient> gradients;
  llvm::SmallVector<StringRef> spans;
  list.split(spans, ',');
  for (StringRef span : spans) {
    size_t first, last;
    if (!parseSpan(span, step.arguments.size(), first, last))
      return makeError("--parameters: '%s' is no number or span of numbers of "
                       "the step's %zu arguments",
                       span.str().c_str(), step.arguments.size());
    for (size_t argument = first; argument <= last; ++argument)
      gradients.push_back({gradients.size() + 1, argument});
  }
  if (gradients.size() + 1 > step.results.size())
    return makeError("--parameters names %zu arguments, the step has %zu "
                     "results beside its loss",
                     gradients.size(), step.results.size() - 1);
  for (Gradient gradient : gradients)
    if (Error error = checkGradient(step, gradient))
      return makeError("--parameters: %s",
                       llvm::toString(std::move(error)).c_str());
  return gradients;
}
