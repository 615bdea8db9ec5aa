//===- RandomInputs.cpp - a step's arguments at random --------------------===//
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

static constexpr double kDeviation = 0.1;

namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}

  uint64_t next() {
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  /// Within (0, 1].
  double uniform() { return double((next() >> 11) + 1) * 0x1p-53; }

  /// Box and Muller, 1958.
  double normal() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }

  int64_t between(int64_t low, int64_t high) {
    // 128-bit: the span of all 64-bit numbers is 2^64. The bias is below
    // span / 2^64.
    unsigned __int128 span = (unsigned __int128)(__int128(high) - low) + 1;
    return int64_t(__int128(low) +
                   __int128(((unsigned __int128)next() * span) >> 64));
  }

private:
  uint64_t state;
};

} // namespace

Expected<IntRange> memopt::run::parseIntRange(llvm::StringRef text) {
  IntRange range;
  llvm::StringRef rest = text;
  if (rest.contains(':')) {
    size_t argument = 0;
    if (rest.consumeInteger(10, argument) || !rest.consume_front(":"))
      rest = "";
    range.argument = argument;
  }
  auto [low, high] = rest.split("..");
  if (low.getAsInteger(10, range.low) || high.getAsInteger(10, range.high) ||
      range.low > range.high)
    return makeError("--int-range takes LOW..HIGH or ARGUMENT:LOW..HIGH, not "
                     "'%s'",
                     text.str().c_str());
  return range;
}

/// The range of the argument; the last one given counts.
static IntRange findRange(llvm::ArrayRef<IntRange> ranges, size_t argument) {
  IntRange found;
  for (const IntRange &range : ranges)
    if (range.argument == argument || (!range.argument && !found.argument))
      found = range;
  return found;
}

static Error checkRange(const IntRange &range, const StepInterface &step) {
  if (!range.argument)
    return Error::success();
  if (*range.argument >= step.arguments.size() ||
      isFloat(step.arguments[*range.argument].type.element))
    return makeError("--int-range: argument %zu is none of integers",
                     *range.argument);
  return Error::success();
}

static Error fitsElement(const IntRange &range, Element element,
                         size_t argument) {
  int bits = element == Element::I1 ? 1 : 8 * int(byteSize(element));
  // Signed and unsigned numbers have the same type.
  int64_t low = element == Element::I1 ? 0 : INT64_MIN >> (64 - bits);
  int64_t high = bits == 64 ? INT64_MAX : (int64_t(1) << bits) - 1;
  if (range.low >= low && range.high <= high)
    return Error::success();
  return makeError("--int-range: %lld..%lld does not fit argument %zu of %s",
                   (long long)range.low, (long long)range.high, argument,
                   name(element).str().c_str());
}

static void fillRandom(Array &array, Generator random, const IntRange &range) {
  int64_t count = array.size();
  Element element = array.type().element;
  visitElement(element, [&](auto codec) {
    using Codec = decltype(codec);
    auto *to = reinterpret_cast<typename Codec::Stored *>(array.data());
    for (int64_t i = 0; i < count; ++i)
      if (isFloat(element))
        to[i] =
            Codec::store(typename Codec::Math(kDeviation * random.normal()));
      else
        to[i] = typename Codec::Stored(random.between(range.low, range.high));
  });
}

Expected<std::vector<Array>>
memopt::run::randomArguments(const StepInterface &step, uint64_t seed,
                             llvm::ArrayRef<IntRange> ranges) {
  for (const IntRange &range : ranges)
    if (Error error = checkRange(range, step))
      return error;
  std::vector<Array> arguments;
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    IntRange range = findRange(ranges, i);
    if (!isFloat(argument.type.element))
      if (Error error = fitsElement(range, argument.type.element, i))
        return error;
    Expected<Array> array = Array::allocate(argument.type);
    if (!array)
      return array.takeError();
    // Each argument has a stream of its own, whatever the others' sizes.
    Generator seeds(seed ^ (0xA0761D6478BD642F * (i + 1)));
    fillRandom(*array, Generator(seeds.next()), range);
    arguments.push_back(std::move(*array));
  }
  return arguments;
}
