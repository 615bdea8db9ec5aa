//===- Evaluator.h - nodes as functions, on sample tensors ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_EVALUATOR_H
#define MEMOPT_LIB_RAISE_EVALUATOR_H

#include "Dominators.h"

#include <deque>
#include <unordered_map>

namespace memopt::raising {

/// The values of a node on a sample of `rows` rows of `columns` elements.
struct Sample {
  /// How the values vary; a bit set, so that broadcasting is a union.
  enum Extent { Unknown = -1, Scalar = 0, Column = 1, Row = 2, Full = 3 };
  int extent = Unknown;
  std::vector<double> values;

  bool isKnown() const { return extent != Unknown; }
};

/// Evaluates nodes in double as functions of nodes whose samples are given.
/// Each other column is an independent random vector; what depends on anything
/// else is Unknown.
class Evaluator {
public:
  /// With a `base`, what base has evaluated counts as given.
  Evaluator(const ScalarGraph &graph, Locality locality, int64_t rows,
            int64_t columns, const Evaluator *base = nullptr)
      : graph(graph), locality(locality), rows(rows), columns(columns),
        base(base) {}

  void give(NodeId id, Sample sample) { samples[id] = std::move(sample); }
  const Sample &get(NodeId id);

  /// The column nodes read so far and their values, in the order of reading.
  const std::deque<std::pair<NodeId, std::vector<double>>> &getColumns() const {
    return columnSamples;
  }

private:
  const Sample *find(NodeId id) const;
  Sample compute(NodeId id);
  Sample reduceRows(const Node &node);
  /// An operand's values as an elementwise node sees them.
  struct View {
    int seen = Sample::Unknown, own = Sample::Unknown;
    const double *values = nullptr;
  };
  View readOperand(const Operand &operand);
  const std::vector<double> *getColumn(NodeId id);
  int64_t length(int extent) const;

  const ScalarGraph &graph;
  Locality locality;
  int64_t rows, columns;
  const Evaluator *base;
  std::unordered_map<NodeId, Sample> samples;
  std::deque<std::pair<NodeId, std::vector<double>>> columnSamples;
};

/// Standard normal numbers; the same for the same seed on every machine.
std::vector<double> drawNormal(size_t count, unsigned seed);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_EVALUATOR_H
