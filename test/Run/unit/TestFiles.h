//===- TestFiles.h - arrays and files of the tests --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUN_TESTFILES_H
#define MEMOPT_TEST_RUN_TESTFILES_H

#include "MemOpt/Run/Npz.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

namespace memopt::run {

/// A path that no other test has; the file is removed at the end.
class TestFile {
public:
  explicit TestFile(llvm::StringRef ending) {
    llvm::SmallString<128> name;
    llvm::sys::fs::createTemporaryFile("memopt-run", ending, name);
    path = name.str().str();
  }
  ~TestFile() { llvm::sys::fs::remove(path); }

  std::string path;
};

/// The value, or a failed test.
template <typename T> T take(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    std::abort();
  }
  return std::move(*value);
}

template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// An array of these values, rounded to the element type.
inline Array makeArray(Element element, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values) {
  Array array = take(Array::allocate(
      {element, llvm::SmallVector<int64_t, 4>(shape.begin(), shape.end())}));
  visitElement(element, [&](auto codec) {
    using Codec = decltype(codec);
    auto *to = reinterpret_cast<typename Codec::Stored *>(array.data());
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = Codec::store(typename Codec::Math(values[i]));
  });
  return array;
}

inline std::vector<double> valuesOf(const ArrayView &array) {
  std::vector<double> values;
  forEachElement(array, [&](double value) { values.push_back(value); });
  return values;
}

} // namespace memopt::run

#endif // MEMOPT_TEST_RUN_TESTFILES_H
