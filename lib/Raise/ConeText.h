//===- ConeText.h - equal text, equal function ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_CONETEXT_H
#define MEMOPT_LIB_RAISE_CONETEXT_H

#include "ScalarGraph.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace memopt::raising {

/// Writes the cones of nodes as text in which given nodes are letters and every
/// other leaf or column is numbered by first appearance. Two cones with equal
/// text are the same function of the same letters and numbered inputs: the
/// layers of a model are evaluated once.
class ConeText {
public:
  explicit ConeText(const ScalarGraph &graph) : graph(graph) {}

  /// `id` is written as `letter` from now on.
  void name(NodeId id, int32_t letter) { letters[id] = letter; }
  /// Appends the cone of `id`; what was written before is referred to.
  void appendCone(NodeId id);
  void appendNumber(int64_t number) {
    text.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  const std::string &str() const { return text; }

  /// The leaves and columns numbered so far, by number.
  llvm::ArrayRef<NodeId> getInputs() const { return inputs.getArrayRef(); }

  /// Starts a new text that keeps the letters and the numbers of the first
  /// `count` inputs.
  void restart(size_t count);
  void forget(NodeId id) { letters.erase(id); }

private:
  void appendOperand(const Operand &operand);
  void number(NodeId id, char kind);
  void appendReal(double value) {
    text.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }

  const ScalarGraph &graph;
  std::string text;
  llvm::DenseMap<NodeId, int32_t> letters, written;
  llvm::SetVector<NodeId> inputs;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_CONETEXT_H
