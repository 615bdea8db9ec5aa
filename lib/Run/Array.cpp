//===- Array.cpp - a dense tensor in memory -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Array.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

std::string memopt::run::toString(const TensorType &type) {
  std::string text = name(type.element).str() + "[";
  for (auto [i, size] : llvm::enumerate(type.shape))
    text += (i ? "," : "") + std::to_string(size);
  return text + "]";
}

int64_t memopt::run::numElements(const TensorType &type) {
  int64_t count = 1;
  for (int64_t size : type.shape)
    count *= size;
  return count;
}

std::optional<int64_t> memopt::run::checkedByteSize(const TensorType &type) {
  int64_t bytes = byteSize(type.element);
  for (int64_t size : type.shape)
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes) ||
        bytes > int64_t(1) << 62)
      return std::nullopt;
  return bytes;
}

Expected<Array> Array::allocate(const TensorType &type) {
  std::optional<int64_t> bytes = checkedByteSize(type);
  if (!bytes)
    return makeError("a tensor %s is too large", toString(type).c_str());
  Array array;
  array.tensorType = type;
  array.byteCount = *bytes;
  // aligned_alloc takes multiples of the alignment only; never 0 bytes, so
  // that null always means refusal.
  size_t rounded = llvm::alignTo(std::max<int64_t>(*bytes, 1), 64);
  array.memory.reset(static_cast<char *>(std::aligned_alloc(64, rounded)));
  if (!array.memory)
    return makeError("the system refuses %lld bytes for a tensor %s",
                     (long long)*bytes, toString(type).c_str());
  return array;
}

Expected<Array> Array::copy() const {
  Expected<Array> result = allocate(tensorType);
  if (result && byteCount)
    std::memcpy(result->data(), data(), byteCount);
  return result;
}

std::optional<int64_t> memopt::run::findNaN(const ArrayView &array) {
  std::optional<int64_t> found;
  if (!isFloat(array.type.element))
    return found;
  int64_t number = 0;
  forEachElement(array, [&](double value) {
    if (std::isnan(value) && !found)
      found = number;
    ++number;
  });
  return found;
}

double memopt::run::elementAt(const ArrayView &array, int64_t number) {
  double value = 0;
  visitElement(array.type.element, [&](auto codec) {
    using Codec = decltype(codec);
    value = Codec::load(
        reinterpret_cast<const typename Codec::Stored *>(array.data)[number]);
  });
  return value;
}

Expected<Array> memopt::run::roundToBFloat16(const Array &array) {
  Expected<Array> result = Array::allocate({Element::BF16, array.type().shape});
  if (!result)
    return result;
  auto *from = reinterpret_cast<const float *>(array.data());
  auto *to = reinterpret_cast<uint16_t *>(result->data());
  for (int64_t i = 0, e = array.size(); i < e; ++i)
    to[i] = toBFloat16(from[i]);
  return result;
}

Expected<Array> memopt::run::widenBFloat16(const ArrayView &array) {
  Expected<Array> result = Array::allocate({Element::F32, array.type.shape});
  if (!result)
    return result;
  auto *from = reinterpret_cast<const uint16_t *>(array.data);
  auto *to = reinterpret_cast<float *>(result->data());
  for (int64_t i = 0, e = numElements(array.type); i < e; ++i)
    to[i] = fromBFloat16(from[i]);
  return result;
}
