//===- NormFacts.cpp - what the values computed from x are to its norm ----===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormFacts.h"
#include "Activations.h"

#include <cmath>

using namespace memopt;
using namespace memopt::raising;

//===----------------------------------------------------------------------===//
// The anchor: which norm, which epsilon
//===----------------------------------------------------------------------===//

/// The number of each row; none where it varies within one.
static std::optional<std::vector<double>> getRows(const Sample &sample,
                                                  int64_t columns) {
  if (sample.extent == Sample::Row)
    return sample.values;
  if (sample.extent != Sample::Full)
    return std::nullopt;
  std::vector<double> rows;
  for (size_t i = 0; i < sample.values.size(); ++i) {
    if (i % columns == 0)
      rows.push_back(sample.values[i]);
    else if (!(std::fabs(sample.values[i] - rows.back()) <=
               tolerance * std::fabs(rows.back())))
      return std::nullopt;
  }
  return rows;
}

/// The constant of the anchor's cone that is `epsilon` up to rounding: the
/// number the author wrote.
static double snapEpsilon(const ScalarGraph &graph, const Closure &closure,
                          double epsilon) {
  for (NodeId id : closure.nodes)
    for (const Operand &operand : graph[id].operands) {
      const Node &node = graph[operand.node];
      if (node.kind == NodeKind::Constant &&
          std::fabs(node.constant.real - epsilon) <= 1e-9 * epsilon)
        return node.constant.real;
    }
  return epsilon;
}

/// Compares the anchor with (spread + epsilon)^(-1/2), or with its inverse;
/// epsilon follows from the zero row.
static std::optional<NormValues> matchAnchor(const NormSample &sample,
                                             const std::vector<double> &rows,
                                             NormKind kind, bool inverse,
                                             double &epsilon) {
  double zero = rows.back();
  epsilon = inverse ? zero * zero : 1 / (zero * zero);
  if (!(epsilon > 0 && epsilon < 1))
    return std::nullopt;
  NormValues values(sample, kind, epsilon);
  for (size_t row = 0; row < rows.size(); ++row) {
    double expected = inverse ? 1 / values.rstd[row] : values.rstd[row];
    if (!(std::fabs(rows[row] - expected) <= tolerance * expected))
      return std::nullopt;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// The members
//===----------------------------------------------------------------------===//

static bool isEqual(const std::vector<double> &found,
                    const std::vector<double> &expected) {
  if (found.size() != expected.size())
    return false;
  for (size_t i = 0; i < found.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <=
          tolerance * (std::fabs(expected[i]) + 1e-2)))
      return false;
  return true;
}

namespace {
/// A and B of A xhat + B.
struct AffineFit {
  std::vector<double> a, b;
  bool isUnit = true, hasBeta = false;
};
} // namespace

/// Fits each column on two rows and checks it on the others.
static std::optional<AffineFit> fitAffine(const std::vector<double> &found,
                                          const std::vector<double> &xhat,
                                          int64_t rows, int64_t columns) {
  AffineFit fit;
  for (int64_t j = 0; j < columns; ++j) {
    int64_t first = j, second = columns + j;
    if (std::fabs(xhat[first] - xhat[second]) < 1e-6)
      second += columns;
    double a = (found[second] - found[first]) / (xhat[second] - xhat[first]);
    double b = found[first] - a * xhat[first];
    for (int64_t i = j; i < rows * columns; i += columns)
      if (!(std::fabs(a * xhat[i] + b - found[i]) <=
            tolerance * (1 + std::fabs(found[i]))))
        return std::nullopt;
    if (!(std::fabs(a) > 1e-9))
      return std::nullopt;
    fit.isUnit &= std::fabs(a - 1) <= tolerance;
    fit.hasBeta |= std::fabs(b) > tolerance;
    fit.a.push_back(a);
    fit.b.push_back(b);
  }
  return fit;
}

namespace {
class NormClassifier {
public:
  NormClassifier(NormEvaluation &result, const NormSample &sample,
                 llvm::ArrayRef<NodeId> inputs, const Evaluator &evaluator)
      : result(result), facts(*result.facts), sample(sample), inputs(inputs),
        evaluator(evaluator) {}

  void classify(size_t position, const Sample &member);

private:
  std::optional<unsigned> findColumn(const std::vector<double> &values) const;
  unsigned addGamma(const std::vector<double> &a);

  NormEvaluation &result;
  NormFacts &facts;
  const NormSample &sample;
  llvm::ArrayRef<NodeId> inputs;
  const Evaluator &evaluator;
};
} // namespace

/// The column, an argument or a value such as 1 + w, with these numbers.
std::optional<unsigned>
NormClassifier::findColumn(const std::vector<double> &values) const {
  for (const auto &[id, column] : evaluator.getColumns()) {
    double worst = 0;
    for (size_t j = 0; j < values.size(); ++j)
      worst = std::max(worst, std::fabs(values[j] - column[j]));
    if (worst <= 1e-5)
      return llvm::find(inputs, id) - inputs.begin();
  }
  return std::nullopt;
}

/// Two norms that share x have several.
unsigned NormClassifier::addGamma(const std::vector<double> &a) {
  for (auto [index, known] : llvm::enumerate(result.gammaValues))
    if (isEqual(a, known))
      return index + 1;
  result.gammaValues.push_back(a);
  facts.gammas.push_back(findColumn(a));
  return facts.gammas.size();
}

void NormClassifier::classify(size_t position, const Sample &member) {
  const NormValues &values = *result.values;
  if (member.extent == Sample::Row) {
    if (isEqual(member.values, values.rstd))
      facts.rstds.push_back(position);
    std::vector<double> std;
    for (double rstd : values.rstd)
      std.push_back(1 / rstd);
    if (isEqual(member.values, std))
      facts.stds.push_back(position);
  }
  if (member.extent != Sample::Full)
    return;
  if (isEqual(member.values, values.centered))
    facts.centered.push_back(position);
  std::optional<AffineFit> fit = fitAffine(member.values, result.values->xhat,
                                           sample.rows, sample.columns);
  if (!fit)
    return;
  if (fit->isUnit && !fit->hasBeta)
    facts.xhats.push_back(position);
  unsigned gamma = fit->isUnit ? 0 : addGamma(fit->a);
  std::optional<unsigned> beta;
  if (fit->hasBeta)
    beta = findColumn(fit->b);
  facts.affines.push_back({position, gamma, fit->hasBeta, beta});
}

NormEvaluation memopt::raising::evaluateNorm(const ScalarGraph &graph,
                                             const Closure &closure,
                                             NodeId anchor,
                                             const NormSample &sample,
                                             llvm::ArrayRef<NodeId> inputs,
                                             Evaluator &evaluator) {
  NormEvaluation result;
  evaluator.give(closure.nodes[0], {Sample::Full, sample.x});
  std::optional<std::vector<double>> rows =
      getRows(evaluator.get(anchor), sample.columns);
  if (!rows)
    return result;
  double epsilon = 0;
  for (NormKind kind : {NormKind::layer, NormKind::rms})
    for (bool inverse : {false, true})
      if (!result.values)
        if ((result.values =
                 matchAnchor(sample, *rows, kind, inverse, epsilon)))
          result.facts = NormFacts{kind, epsilon, {}, {}, {}, {}, {}, {}};
  if (!result.values)
    return result;
  result.facts->epsilon = snapEpsilon(graph, closure, result.facts->epsilon);
  NormClassifier classifier(result, sample, inputs, evaluator);
  for (size_t i = 0; i < closure.nodes.size(); ++i)
    classifier.classify(i, evaluator.get(closure.nodes[i]));
  return result;
}
