//===- NormGradients.h - finds the gradients of one norm --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_NORMGRADIENTS_H
#define MEMOPT_LIB_RAISE_NORMGRADIENTS_H

#include "ConeText.h"
#include "NormFacts.h"
#include "Norms.h"
#include "llvm/ADT/MapVector.h"

#include <functional>
#include <set>

namespace memopt::raising {

/// Answers of comparisons, by the text of what was compared. -1 for "no", else
/// the index of the gamma with which it is equal, 0 for none.
using GradientMemo = std::unordered_map<std::string, int>;

/// Finds dx, dgamma and dbeta of a norm among what S(x) reaches.
class NormGradientFinder {
public:
  /// `text` names the members of S(x); `evaluate` gives the numbers of the
  /// norm, and is called only where the memo has no answer.
  NormGradientFinder(
      const ScalarGraph &graph, DominatorTree &tree, NormMatch &match,
      const NormFacts &facts, const NormSample &sample, ConeText &text,
      GradientMemo &memo,
      std::function<std::pair<const NormEvaluation *, const Evaluator *>()>
          evaluate);

  void run(llvm::ArrayRef<NodeId> reach);

private:
  void findClosed(NodeId v);
  bool findSum(NodeId v);
  void findParameters(NodeId v);
  void findShift(NormGradient &gradient);

  llvm::SmallVector<NodeId> candidates(NodeId v) const;
  bool isFunctionOf(NodeId v, NodeId g) const;
  void flatten(NodeId v, llvm::SmallVectorImpl<NodeId> &terms) const;
  bool sumOver(llvm::ArrayRef<NodeId> terms, NodeId v, NodeId g);
  NodeId columnSum(NodeId v) const;
  void explain(NodeId v, NodeId g);
  NormGradient &gradientOf(NodeId g);

  /// Whether the sum of `terms`, as a function of g, is dx or, with `gain`,
  /// g xhat: the index of the gamma, or -1.
  int compare(llvm::ArrayRef<NodeId> terms, NodeId g, bool gain);
  int compareValues(llvm::ArrayRef<NodeId> terms, NodeId g, bool gain);
  std::optional<std::vector<double>> sumValues(llvm::ArrayRef<NodeId> terms,
                                               NodeId g);

  const ScalarGraph &graph;
  DominatorTree &tree;
  NormMatch &match;
  const NormFacts &facts;
  const NormSample &sample;
  ConeText &text;
  size_t numInputs;
  GradientMemo &memo;
  std::function<std::pair<const NormEvaluation *, const Evaluator *>()>
      evaluate;
  std::unordered_map<NodeId, Evaluator> evaluators;
  llvm::MapVector<NodeId, NormGradient> gradients;
  llvm::BitVector explained;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_NORMGRADIENTS_H
