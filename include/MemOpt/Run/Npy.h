//===- Npy.h - the header of a .npy file -----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in NumPy's documentation, numpy.lib.format: the magic
// string, a version (1.0 with a 2-byte length, 2.0 and 3.0 with a 4-byte one),
// a Python dictionary, the data.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_NPY_H
#define MEMOPT_RUN_NPY_H

#include "MemOpt/Run/Array.h"

namespace memopt::run {

struct NpyHeader {
  TensorType type;
  /// Column-major data.
  bool fortranOrder = false;
  /// Where the data begin, in bytes.
  int64_t dataOffset = 0;
};

/// The most bytes a header may take.
constexpr int64_t kMaxNpyHeader = 1 << 20;

/// Bytes that must be read before the header's own length is known.
constexpr int64_t kNpyPrefix = 12;

/// The offset of the data, from the first `kNpyPrefix` bytes of a file.
llvm::Expected<int64_t> npyDataOffset(llvm::StringRef prefix);

/// Reads the header at the beginning of `text`, which must hold all of it.
/// dtypes: f8 f4 f2 (little endian), b1, signed and unsigned integers of 1 to 8
/// bytes, and the two-byte void that ml_dtypes writes for bfloat16. Others are
/// refused by name.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef text);

/// A version 1.0 header for row-major data, padded to 64 bytes.
std::string printNpyHeader(const TensorType &type);

} // namespace memopt::run

#endif // MEMOPT_RUN_NPY_H
