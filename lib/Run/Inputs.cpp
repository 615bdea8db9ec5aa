//===- Inputs.cpp - a step's arguments from files -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Inputs.h"
#include "llvm/ADT/STLExtras.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

/// The I of `argI`.
static std::optional<size_t> argumentNumber(StringRef name) {
  size_t number;
  if (!name.consume_front("arg") || name.empty() ||
      name.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// The array as the step takes it; `want` is the type of the array in the file.
static Expected<Array> convert(Array array, const TensorType &want,
                               StringRef file, StringRef name) {
  if (array.type() == want)
    return array;
  bool isWide = want.element == Element::BF16 &&
                array.type() == TensorType{Element::F32, want.shape};
  if (isWide)
    return roundToBFloat16(array);
  return makeError("%s: %s is %s, the step takes %s", file.str().c_str(),
                   name.str().c_str(), toString(array.type()).c_str(),
                   toString(want).c_str());
}

static Error refuseMore(const NpzReader &file, const StepInterface &step) {
  for (const std::string &name : file.names())
    if (argumentNumber(name).value_or(0) >= step.arguments.size() &&
        argumentNumber(name))
      return makeError("%s: has %s, the step takes %zu arguments",
                       file.path().c_str(), name.c_str(),
                       step.arguments.size());
  return Error::success();
}

Expected<std::vector<Array>>
memopt::run::readArguments(const NpzReader &file, const StepInterface &step) {
  if (Error error = refuseMore(file, step))
    return error;
  std::vector<Array> arguments;
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    std::string name = "arg" + std::to_string(i);
    Expected<Array> array = file.read(name);
    if (!array)
      return array.takeError();
    Expected<Array> converted =
        convert(std::move(*array), argument.type, file.path(), name);
    if (!converted)
      return converted.takeError();
    arguments.push_back(std::move(*converted));
  }
  return arguments;
}

Expected<std::vector<std::string>>
memopt::run::readSizes(const NpzReader &file) {
  std::vector<std::string> sizes;
  for (const std::string &name : file.names()) {
    std::optional<size_t> number = argumentNumber(name);
    if (!number)
      continue;
    Expected<Array> array = file.read(name);
    if (!array)
      return array.takeError();
    for (auto [dimension, size] : llvm::enumerate(array->type().shape))
      sizes.push_back(std::to_string(*number) + ":" +
                      std::to_string(dimension) + "=" + std::to_string(size));
  }
  return sizes;
}

Error memopt::run::refuseNaN(llvm::ArrayRef<Array> arguments, StringRef file) {
  for (auto [i, array] : llvm::enumerate(arguments))
    if (std::optional<int64_t> at = findNaN(array))
      return makeError("%s: arg%zu has a NaN, element %lld of %s",
                       file.str().c_str(), i, (long long)*at,
                       toString(array.type()).c_str());
  return Error::success();
}

Expected<Batches> Batches::read(const NpzReader &file,
                                const StepInterface &step) {
  if (Error error = refuseMore(file, step))
    return error;
  Batches batches;
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    std::string name = "arg" + std::to_string(i);
    if (!file.has(name))
      continue;
    Expected<Array> array = file.read(name);
    if (!array)
      return array.takeError();
    llvm::ArrayRef<int64_t> shape = array->type().shape;
    int64_t count = shape.empty() ? 0 : shape.front();
    if (!batches.entries.empty() && count != batches.batches)
      return makeError("%s: %s has %lld batches, another array %lld",
                       file.path().c_str(), name.c_str(), (long long)count,
                       (long long)batches.batches);
    batches.batches = count;
    TensorType want = argument.type;
    want.shape.insert(want.shape.begin(), count);
    Expected<Array> converted =
        convert(std::move(*array), want, file.path(), name);
    if (!converted)
      return converted.takeError();
    if (std::optional<int64_t> at = findNaN(*converted))
      return makeError("%s: %s has a NaN, element %lld", file.path().c_str(),
                       name.c_str(), (long long)*at);
    batches.entries.push_back({i, std::move(*converted)});
  }
  if (!batches.batches)
    return makeError("%s: has no batches: arrays argI with a dimension more "
                     "than the step's argument I",
                     file.path().c_str());
  return batches;
}

std::vector<size_t> Batches::arguments() const {
  std::vector<size_t> numbers;
  for (const Entry &entry : entries)
    numbers.push_back(entry.argument);
  return numbers;
}

void Batches::load(int64_t number, Execution &execution) const {
  for (const Entry &entry : entries) {
    Array &argument = execution.arguments()[entry.argument];
    std::memcpy(argument.data(),
                entry.array.data() + number % batches * argument.bytes(),
                argument.bytes());
  }
}
