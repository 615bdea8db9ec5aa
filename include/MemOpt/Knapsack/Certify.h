//===- Certify.h - An independent proof of optimality -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KNAPSACK_CERTIFY_H
#define MEMOPT_KNAPSACK_CERTIFY_H

#include "MemOpt/Knapsack/Solve.h"

namespace memopt::knapsack {

/// What `certify` found out about an answer.
enum class Verdict {
  Optimal,    ///< Proved: no choice has a larger value, or the same value and a
              ///< larger key.
  NotOptimal, ///< A better choice exists, or the answer is not what it says.
  Undecided,  ///< A limit was reached first.
};

const char *name(Verdict verdict);

struct Certificate {
  Verdict verdict = Verdict::Undecided;
  std::string reason;   ///< Why, in a sentence.
  size_t peakBytes = 0; ///< As in Answer.
};

/// Proves or refutes that `choice` is optimal, in integers only and without any
/// of the solvers' code: it verifies the choice, closes what a Lagrangian bound
/// closes, and enumerates the rest.
Certificate certify(const Problem &problem, const Choice &choice,
                    const Limits &limits = {});

/// Proves that no choice fits into the capacity.
Certificate certifyInfeasible(const Problem &problem);

} // namespace memopt::knapsack

#endif // MEMOPT_KNAPSACK_CERTIFY_H
