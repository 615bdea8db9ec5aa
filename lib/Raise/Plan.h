//===- Plan.h - which raised ops replace which tensors ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_PLAN_H
#define MEMOPT_LIB_RAISE_PLAN_H

#include "ScalarGraph.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

#include <functional>

namespace memopt::raising {

/// A new op that will stand for tensors of the step.
struct Replacement {
  /// Ops with one group stand or fall together: a function and its gradients.
  unsigned group;
  /// What the new op reads.
  llvm::SmallVector<mlir::Value> operands;
  /// What its results replace.
  llvm::SmallVector<mlir::Value> replaced;
  /// The forward ops whose work it takes over.
  llvm::SmallVector<mlir::Operation *> work;
  /// Creates it and returns what takes the place of `replaced`, in order and of
  /// the same types.
  std::function<llvm::SmallVector<mlir::Value>()> create;
};

/// A set of replacements, decided before the first is applied.
class Plan {
public:
  Plan(const ScalarGraph &graph, const llvm::BitVector &forward)
      : graph(graph), forward(forward) {}

  /// Starts a group; remarks about it name `what` ("gelu_erf").
  unsigned addGroup(std::string what);
  void add(Replacement replacement) {
    replacements.push_back(std::move(replacement));
  }
  /// Gives a group up, for a reason that a remark at `op` states.
  void reject(unsigned group, mlir::Operation *op, const llvm::Twine &reason);

  /// Rejects each group of which a forward value would still be read by an op
  /// that stays: the step would then do that work twice and keep the value and
  /// the raised op's operand. Applies the rest and erases what nobody reads any
  /// more.
  void apply();

private:
  struct Group {
    std::string what;
    bool rejected = false;
  };
  llvm::DenseSet<mlir::Operation *> computeLive() const;
  bool isWork(mlir::Operation *op) const;
  bool rejectLeaks();
  void eraseDead();

  const ScalarGraph &graph;
  const llvm::BitVector &forward;
  std::vector<Group> groups;
  std::vector<Replacement> replacements;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_PLAN_H
