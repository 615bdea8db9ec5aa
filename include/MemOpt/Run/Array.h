//===- Array.h - a dense tensor in memory ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_ARRAY_H
#define MEMOPT_RUN_ARRAY_H

#include "MemOpt/Run/Element.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdlib>
#include <memory>
#include <string>

namespace memopt::run {

/// A static shape and an element type; row-major, without padding.
struct TensorType {
  Element element = Element::F32;
  llvm::SmallVector<int64_t, 4> shape;

  bool operator==(const TensorType &other) const {
    return element == other.element && shape == other.shape;
  }
  bool operator!=(const TensorType &other) const { return !(*this == other); }
};

/// As `f32[4,8]`.
std::string toString(const TensorType &type);

/// The product of the sizes. The type must have passed `checkedByteSize`.
int64_t numElements(const TensorType &type);

/// Bytes of the whole tensor; none where a size is negative or the product
/// passes 2^62.
std::optional<int64_t> checkedByteSize(const TensorType &type);

/// An error with a message, as printf writes it.
template <typename... Values>
llvm::Error makeError(const char *format, const Values &...values) {
  return llvm::createStringError(std::errc::invalid_argument, format,
                                 values...);
}

/// A tensor that owns its memory, aligned to 64 bytes.
class Array {
public:
  Array() = default;
  /// Memory for `type`, not initialised; an error where its size overflows or
  /// the system refuses.
  static llvm::Expected<Array> allocate(const TensorType &type);

  const TensorType &type() const { return tensorType; }
  int64_t size() const { return numElements(tensorType); }
  int64_t bytes() const { return byteCount; }
  char *data() { return memory.get(); }
  const char *data() const { return memory.get(); }

  llvm::Expected<Array> copy() const;

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  TensorType tensorType;
  int64_t byteCount = 0;
  std::unique_ptr<char, Free> memory;
};

/// A tensor somewhere else: in an array, in an arena.
struct ArrayView {
  TensorType type;
  const char *data = nullptr;

  ArrayView() = default;
  ArrayView(TensorType type, const char *data)
      : type(std::move(type)), data(data) {}
  ArrayView(const Array &array) : type(array.type()), data(array.data()) {}
};

/// Calls `visit(value)` with every element as a double, in row-major order.
template <typename Visitor>
void forEachElement(const ArrayView &array, Visitor &&visit) {
  int64_t count = numElements(array.type);
  visitElement(array.type.element, [&](auto codec) {
    using Codec = decltype(codec);
    auto *from = reinterpret_cast<const typename Codec::Stored *>(array.data);
    for (int64_t i = 0; i < count; ++i)
      visit(double(Codec::load(from[i])));
  });
}

/// The number of the first NaN in row-major order; none where there is none.
std::optional<int64_t> findNaN(const ArrayView &array);

/// The element `number` in row-major order, as a double.
double elementAt(const ArrayView &array, int64_t number);

/// float32 values rounded to bfloat16, ties to even: the values of a bf16
/// tensor are float32 in an .npz, which has no such type.
llvm::Expected<Array> roundToBFloat16(const Array &array);
/// bfloat16 values as float32, exact.
llvm::Expected<Array> widenBFloat16(const ArrayView &array);

} // namespace memopt::run

#endif // MEMOPT_RUN_ARRAY_H
