//===- ChoiceGraph.h - what to keep, what to recompute ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rematerialization problem without IR: ops with a cost, the values they
// make, in bytes, and which of the values the backward needs. A plan keeps some
// values and runs some ops again.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_MINCUT_CHOICEGRAPH_H
#define MEMOPT_MINCUT_CHOICEGRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace memopt {

struct ChoiceValue {
  /// Bytes that keeping it takes; 0 for one that is held anyway (returned).
  int64_t bytes = 0;
  /// The backward reads it.
  bool needed = false;
  /// Index of the op that makes it.
  int op = -1;
  /// False for what no plan may keep, whatever its bytes (a decision taken
  /// beforehand); its op must be recomputable.
  bool keepable = true;
};

struct ChoiceOp {
  /// Cost of running it once more, in any one unit (picoseconds, say); paid
  /// once for all its results.
  int64_t cost = 0;
  /// False for what may never run twice (random numbers, side effects).
  bool recomputable = true;
  /// Values it reads and values it makes. What is free and always there
  /// (arguments, constants) is left out.
  std::vector<int> operands, results;
};

/// Ops in an order in which each stands after the makers of its operands.
class ChoiceGraph {
public:
  /// Adds an op that makes a value for each entry of `resultBytes`; returns its
  /// index. Its values get the next indices, in order.
  int addOp(int64_t cost, bool recomputable, std::vector<int> operands,
            const std::vector<int64_t> &resultBytes);
  void setNeeded(int value) { values[value].needed = true; }
  void setNotKeepable(int value) { values[value].keepable = false; }

  const std::vector<ChoiceOp> &getOps() const { return ops; }
  const std::vector<ChoiceValue> &getValues() const { return values; }

  /// Empty where the graph is sane; else what is wrong: a negative number, an
  /// operand that is made later, a value that may neither be kept nor
  /// recomputed, or sums of bytes or cost that pass 2^62.
  std::string check() const;

  int64_t totalBytes() const;
  int64_t totalCost() const;

private:
  std::vector<ChoiceOp> ops;
  std::vector<ChoiceValue> values;
};

/// A choice and what it costs. All index lists rise.
struct ChoicePlan {
  std::vector<int> kept;       // values that cross to the backward
  std::vector<int> recomputed; // ops that run again
  int64_t bytes = 0;           // sum over kept
  int64_t cost = 0;            // sum over recomputed
};

/// The plan that keeps, of `candidates` (one flag a value), those that are
/// used: what the backward needs and is not kept is recomputed, with all it
/// reads. A value that may not be recomputed is kept where it is used, flagged
/// or not.
ChoicePlan planFromKept(const ChoiceGraph &graph,
                        const std::vector<char> &candidates);

/// Checks a plan from scratch: every needed value is kept or made by a
/// recomputed op, whose operands are there in turn; no op runs again that may
/// not; sums are right. Empty where it holds; else what does not.
std::string verifyPlan(const ChoiceGraph &graph, const ChoicePlan &plan);

} // namespace memopt

#endif // MEMOPT_MINCUT_CHOICEGRAPH_H
