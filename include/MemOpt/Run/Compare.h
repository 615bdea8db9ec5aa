//===- Compare.h - results against references -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// With |.| the Euclidean norm of a whole tensor, a result r is right where
//
//     |r - res64| <= max(rtol |res64|, 4 |res - res64|).
//
// The second term is for gradients that are zero in exact arithmetic (a key
// bias before a softmax): the framework's own float32 is then off by any
// factor. Where there is no `res64`, that error is unknown, and
//
//     |r - res| <= rtol max(|res|, 0.01 G),   G the largest |res| of the
//     results
//
// takes its place. tools/dev/compare_results.py is the same in Python.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_COMPARE_H
#define MEMOPT_RUN_COMPARE_H

#include "MemOpt/Run/Npz.h"

namespace memopt::run {

/// One result against its reference; all numbers are norms.
struct Check {
  size_t result = 0;
  double reference = 0, error = 0, tolerance = 0;

  /// False for NaN.
  bool ok() const { return error <= tolerance; }
  /// The error over the reference; 0 where both are 0, infinite where only the
  /// reference is.
  double relative() const;
  /// The error over the tolerance, likewise.
  double share() const;
};

/// A check for each result. An error where the file lacks one, or has it in
/// another shape.
llvm::Expected<std::vector<Check>>
compareResults(llvm::ArrayRef<ArrayView> results, const NpzReader &expected,
               double rtol);

/// The same for references of float32 precision that are at hand, each of its
/// result's shape.
std::vector<Check> compareResults(llvm::ArrayRef<ArrayView> results,
                                  llvm::ArrayRef<ArrayView> references,
                                  double rtol);

/// The check with the largest share of its tolerance, NaN above all; null where
/// there is none.
const Check *worst(llvm::ArrayRef<Check> checks);

} // namespace memopt::run

#endif // MEMOPT_RUN_COMPARE_H
