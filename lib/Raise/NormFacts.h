//===- NormFacts.h - what the values computed from x are to its norm --*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_NORMFACTS_H
#define MEMOPT_LIB_RAISE_NORMFACTS_H

#include "Closure.h"
#include "Evaluator.h"
#include "NormSample.h"

namespace memopt::raising {

/// What the members of S(x) are, by position in the closure, so that the facts
/// of one layer hold for all whose cones have the same text.
struct NormFacts {
  /// y = A xhat + B, by column.
  struct Affine {
    size_t position;
    /// 0 where A is 1 everywhere, otherwise 1 + an index into `gammas`.
    unsigned gamma;
    bool hasBeta;
    /// Index of the column that is B; none where B is no column of its own.
    std::optional<unsigned> beta;
  };

  NormKind kind;
  double epsilon;
  /// Equal to xhat, x - mean (x for rms), 1/std and std.
  std::vector<size_t> xhats, centered, rstds, stds;
  /// In program order; xhat itself is one, with no gamma and no beta.
  std::vector<Affine> affines;
  /// The distinct A, each as the index of the column it is, if it is one.
  std::vector<std::optional<unsigned>> gammas;
};

/// The facts together with the numbers they were found with.
struct NormEvaluation {
  std::optional<NormFacts> facts;
  std::optional<NormValues> values;
  /// By gamma: the column A.
  std::vector<std::vector<double>> gammaValues;
};

/// Evaluates S(x) on a sample and compares. `anchor` must be 1/std or std of
/// some norm of x; no facts where it is not. `inputs` numbers the columns.
NormEvaluation evaluateNorm(const ScalarGraph &graph, const Closure &closure,
                            NodeId anchor, const NormSample &sample,
                            llvm::ArrayRef<NodeId> inputs,
                            Evaluator &evaluator);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_NORMFACTS_H
