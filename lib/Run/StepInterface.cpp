//===- StepInterface.cpp - what a compiled step takes and gives -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/StepInterface.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

int64_t StepInterface::argumentBytes() const {
  int64_t sum = 0;
  for (const StepArgument &argument : arguments)
    if (__builtin_add_overflow(sum, *checkedByteSize(argument.type), &sum))
      return INT64_MAX;
  return sum;
}

static Error descriptionError(const llvm::Twine &what) {
  return makeError("the step's description: %s", what.str().c_str());
}

static Expected<TensorType> parseType(const json::Object &object,
                                      const llvm::Twine &where) {
  TensorType type;
  std::optional<StringRef> text = object.getString("type");
  std::optional<Element> element = text ? parseElement(*text) : std::nullopt;
  if (!element)
    return descriptionError(where + " has no element type that can be run" +
                            (text ? " ('" + *text + "')" : ""));
  type.element = *element;
  const json::Array *shape = object.getArray("shape");
  if (!shape)
    return descriptionError(where + " has no shape");
  for (const json::Value &size : *shape) {
    std::optional<int64_t> value = size.getAsInteger();
    if (!value || *value < 0)
      return descriptionError(where + " has a size that is no number");
    type.shape.push_back(*value);
  }
  if (!checkedByteSize(type))
    return descriptionError(where + " is too large");
  return type;
}

static Expected<StepArgument> parseArgument(const json::Object &object,
                                            const llvm::Twine &where) {
  Expected<TensorType> type = parseType(object, where);
  if (!type)
    return type.takeError();
  return StepArgument{*type, object.getBoolean("donated").value_or(false)};
}

static Expected<StepResult> parseResult(const json::Object &object,
                                        const StepInterface &step,
                                        const llvm::Twine &where) {
  Expected<TensorType> type = parseType(object, where);
  if (!type)
    return type.takeError();
  StepResult result;
  result.type = *type;
  result.argument = object.getInteger("argument");
  if (result.argument) {
    if (*result.argument < 0 ||
        *result.argument >= int64_t(step.arguments.size()))
      return descriptionError(where + " is no argument of the step");
    // Of another shape where the step returns it reshaped.
    const TensorType &argument = step.arguments[*result.argument].type;
    if (argument.element != type->element ||
        numElements(argument) != numElements(*type))
      return descriptionError(where + " is no argument of its type");
    return result;
  }
  std::optional<int64_t> offset = object.getInteger("offset");
  // 128-bit: the sum of two numbers that are each below 2^63.
  if (!offset || *offset < 0 ||
      __int128(*offset) + *checkedByteSize(*type) > step.arenaBytes)
    return descriptionError(where + " does not lie in the arena");
  if (*offset % byteSize(type->element))
    return descriptionError(where + " is not aligned");
  result.offset = *offset;
  return result;
}

static Error parseArena(const json::Object &object, StepInterface &step) {
  step.name = object.getString("name").value_or("step").str();
  std::optional<int64_t> bytes = object.getInteger("arena_bytes");
  step.arenaAlignment = object.getInteger("arena_alignment").value_or(64);
  if (!bytes || *bytes < 0)
    return descriptionError("no arena_bytes");
  if (step.arenaAlignment <= 0 || !llvm::isPowerOf2_64(step.arenaAlignment) ||
      step.arenaAlignment > 4096)
    return descriptionError("arena_alignment is no power of two up to 4096");
  step.arenaBytes = *bytes;
  step.globalsBytes = object.getInteger("globals_bytes").value_or(0);
  if (step.globalsBytes < 0)
    return descriptionError("globals_bytes is no size");
  step.isForGpu = object.getString("target") == StringRef("nvvm");
  step.cudaGraph = object.getBoolean("cuda_graph").value_or(false);
  step.globalsOffset = object.getInteger("globals_offset");
  bool isInArena =
      step.globalsOffset && *step.globalsOffset >= 0 &&
      __int128(*step.globalsOffset) + step.globalsBytes <= step.arenaBytes;
  if (step.isForGpu && step.globalsBytes && !isInArena)
    return descriptionError("the globals do not lie in the arena");
  return Error::success();
}

Expected<StepInterface> memopt::run::parseStepInterface(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return descriptionError(llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return descriptionError("no JSON object");
  StepInterface step;
  if (Error error = parseArena(*object, step))
    return error;
  const json::Array *arguments = object->getArray("arguments");
  const json::Array *results = object->getArray("results");
  if (!arguments || !results)
    return descriptionError("no list of arguments or of results");
  static const json::Object none;
  for (auto [i, entry] : llvm::enumerate(*arguments)) {
    const json::Object *fields = entry.getAsObject();
    Expected<StepArgument> argument =
        parseArgument(fields ? *fields : none, "argument " + llvm::Twine(i));
    if (!argument)
      return argument.takeError();
    step.arguments.push_back(*argument);
  }
  for (auto [i, entry] : llvm::enumerate(*results)) {
    const json::Object *fields = entry.getAsObject();
    Expected<StepResult> result =
        parseResult(fields ? *fields : none, step, "result " + llvm::Twine(i));
    if (!result)
      return result.takeError();
    step.results.push_back(*result);
  }
  return step;
}
