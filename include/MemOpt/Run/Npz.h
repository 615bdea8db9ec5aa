//===- Npz.h - arrays in a .npz file ----------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A .npz is a zip archive of .npy files. By the convention of captured steps
// `argI` is the step's argument I, `resI` its result I in the framework's own
// precision, and `res64_I` the same in float64.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_NPZ_H
#define MEMOPT_RUN_NPZ_H

#include "MemOpt/Run/Array.h"
#include "llvm/ADT/ArrayRef.h"

struct zip;

namespace memopt::run {

class NpzReader {
public:
  /// An error where there is no such file or it is no zip archive. Messages
  /// begin with `path`.
  static llvm::Expected<NpzReader> open(llvm::StringRef path);

  const std::string &path() const { return file; }
  bool has(llvm::StringRef name) const;
  /// The names of all arrays, in the file's order.
  std::vector<std::string> names() const;
  /// The array `name` in row-major order; column-major data are transposed. An
  /// error where it is missing, cut short, damaged (the archive's checksum) or
  /// of a dtype that is not read.
  llvm::Expected<Array> read(llvm::StringRef name) const;

private:
  struct Close {
    void operator()(zip *archive) const;
  };
  std::string file;
  std::unique_ptr<zip, Close> archive;
};

/// An array to be written, which must stay where it is until `writeNpz`
/// returns.
struct NamedArray {
  std::string name;
  ArrayView array;
};

/// Writes all arrays, uncompressed as numpy.savez does, bfloat16 as float32.
/// The file appears whole or not at all: it is written beside `path` and
/// renamed.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

} // namespace memopt::run

#endif // MEMOPT_RUN_NPZ_H
