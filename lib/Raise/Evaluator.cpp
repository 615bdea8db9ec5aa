//===- Evaluator.cpp - nodes as functions, on sample tensors --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include <cmath>
#include <random>

using namespace memopt::raising;

std::vector<double> memopt::raising::drawNormal(size_t count, unsigned seed) {
  // Box and Muller's transform: the standard library's distribution may differ
  // between implementations, its generator may not.
  std::mt19937_64 random(seed);
  auto uniform = [&] { return (double(random() >> 11) + 0.5) * 0x1p-53; };
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; i += 2) {
    double radius = std::sqrt(-2 * std::log(uniform()));
    double angle = 6.28318530717958647693 * uniform();
    numbers[i] = radius * std::cos(angle);
    if (i + 1 < count)
      numbers[i + 1] = radius * std::sin(angle);
  }
  return numbers;
}

int64_t Evaluator::length(int extent) const {
  return (extent & Sample::Row ? rows : 1) *
         (extent & Sample::Column ? columns : 1);
}

const Sample *Evaluator::find(NodeId id) const {
  auto it = samples.find(id);
  if (it != samples.end())
    return &it->second;
  // What base could not evaluate may follow from what is given here.
  const Sample *found = base ? base->find(id) : nullptr;
  return found && found->isKnown() ? found : nullptr;
}

const Sample &Evaluator::get(NodeId id) {
  if (const Sample *found = find(id))
    return *found;
  Sample sample = compute(id);
  return samples[id] = std::move(sample);
}

/// A column is an argument or anything else computed from parameters: gamma, or
/// 1 + gamma. Numbers around 1, as gains have.
const std::vector<double> *Evaluator::getColumn(NodeId id) {
  for (const Evaluator *e = this; e; e = e->base)
    for (const auto &column : e->columnSamples)
      if (column.first == id)
        return &column.second;
  size_t seed = columnSamples.size() + (base ? base->columnSamples.size() : 0);
  std::vector<double> values = drawNormal(columns, 101 + seed);
  for (double &value : values)
    value = 1 + 0.3 * value;
  columnSamples.emplace_back(id, std::move(values));
  return &columnSamples.back().second;
}

Sample Evaluator::reduceRows(const Node &node) {
  Sample result;
  const Sample &term = get(node.operands[0].node);
  if (locality != Locality::Row || term.extent != Sample::Full ||
      node.reduced != columns)
    return result;
  result.extent = Sample::Row;
  result.values.assign(rows, node.init);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t j = 0; j < columns; ++j)
      result.values[row] = evaluate(node.op, result.values[row],
                                    term.values[row * columns + j], 0);
  return result;
}

/// The extent with which an elementwise node sees an operand, Unknown where its
/// rows are not the sample's; `values` are the operand's own.
Evaluator::View Evaluator::readOperand(const Operand &operand) {
  if (graph[operand.node].kind == NodeKind::Constant) {
    const Sample &sample = get(operand.node);
    return {Sample::Scalar, Sample::Scalar, sample.values.data()};
  }
  if (operand.access == Access::ColumnBroadcast) {
    if (locality != Locality::Row || operand.period != columns)
      return {};
    return {Sample::Column, Sample::Column, getColumn(operand.node)->data()};
  }
  const Sample &sample = get(operand.node);
  if (!sample.isKnown())
    return {};
  View view{sample.extent, sample.extent, sample.values.data()};
  if (sample.extent == Sample::Scalar || operand.access == Access::Flat)
    return view;
  if (operand.access == Access::RowBroadcast && sample.extent == Sample::Row) {
    if (operand.period == columns)
      view.seen = Sample::Full;
    else if (operand.period != 1)
      return {};
    return view;
  }
  return {};
}

/// Copies `values`, which vary as `from`, to a vector that varies as `to`.
static std::vector<double> broadcast(const double *values, int from, int to,
                                     int64_t rows, int64_t columns) {
  std::vector<double> result;
  int64_t outer = to & Sample::Row ? rows : 1;
  int64_t inner = to & Sample::Column ? columns : 1;
  result.resize(outer * inner);
  int64_t rowStride = !(from & Sample::Row)   ? 0
                      : from & Sample::Column ? columns
                                              : 1;
  int64_t columnStride = from & Sample::Column ? 1 : 0;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j)
      result[i * inner + j] = values[i * rowStride + j * columnStride];
  return result;
}

/// Applies `f` to every element; the common opcodes get a loop of their own,
/// because rows are thousands of elements long.
static void apply(ScalarOp op, int64_t count, const double *const *in,
                  double *out) {
  const double *a = in[0], *b = in[1], *c = in[2];
  auto loop = [&](auto f) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = f(i);
  };
  switch (op.code) {
  case Opcode::Copy:
    return loop([&](int64_t i) { return a[i]; });
  case Opcode::Add:
    return loop([&](int64_t i) { return a[i] + b[i]; });
  case Opcode::Sub:
    return loop([&](int64_t i) { return a[i] - b[i]; });
  case Opcode::Mul:
    return loop([&](int64_t i) { return a[i] * b[i]; });
  case Opcode::Div:
    return loop([&](int64_t i) { return a[i] / b[i]; });
  default:
    return loop([&](int64_t i) {
      return evaluate(op, a[i], b ? b[i] : 0, c ? c[i] : 0);
    });
  }
}

Sample Evaluator::compute(NodeId id) {
  const Node &node = graph[id];
  Sample result;
  if (node.kind == NodeKind::Constant)
    return {Sample::Scalar, {node.constant.real}};
  if (node.kind == NodeKind::RowReduction)
    return reduceRows(node);
  if (node.kind != NodeKind::Elementwise)
    return result;
  View views[3];
  int extent = Sample::Scalar;
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    views[i] = readOperand(operand);
    if (views[i].seen == Sample::Unknown)
      return result;
    extent |= views[i].seen;
  }
  std::vector<double> storage[3];
  const double *in[3] = {};
  for (size_t i = 0; i < node.operands.size(); ++i) {
    in[i] = views[i].values;
    if (views[i].own != extent) {
      storage[i] =
          broadcast(views[i].values, views[i].own, extent, rows, columns);
      in[i] = storage[i].data();
    }
  }
  result.extent = extent;
  result.values.resize(length(extent));
  apply(node.op, result.values.size(), in, result.values.data());
  return result;
}
