//===- Compare.cpp - results against references ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Compare.h"
#include <cmath>

using namespace memopt::run;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

static constexpr double kFramework = 4.0;
static constexpr double kFloor = 1e-2;

static double over(double error, double size) {
  return error == 0 ? 0 : error / size;
}

double Check::relative() const { return over(error, reference); }
double Check::share() const { return over(error, tolerance); }

static double norm(const ArrayView &array) {
  double sum = 0;
  forEachElement(array, [&](double value) { sum += value * value; });
  return std::sqrt(sum);
}

/// The norm of the difference of two arrays of one shape.
static double distance(const ArrayView &a, const ArrayView &b) {
  double sum = 0;
  int64_t count = numElements(a.type);
  visitElement(a.type.element, [&](auto codecA) {
    visitElement(b.type.element, [&](auto codecB) {
      using A = decltype(codecA);
      using B = decltype(codecB);
      auto *x = reinterpret_cast<const typename A::Stored *>(a.data);
      auto *y = reinterpret_cast<const typename B::Stored *>(b.data);
      for (int64_t i = 0; i < count; ++i) {
        double difference = double(A::load(x[i])) - double(B::load(y[i]));
        sum += difference * difference;
      }
    });
  });
  return std::sqrt(sum);
}

/// The reference `name` of the result, with its shape.
static Expected<Array> readReference(const NpzReader &expected,
                                     const std::string &name,
                                     const TensorType &result) {
  Expected<Array> array = expected.read(name);
  if (array && array->type().shape != result.shape)
    return makeError("%s: %s is %s, the step's result is %s",
                     expected.path().c_str(), name.c_str(),
                     toString(array->type()).c_str(), toString(result).c_str());
  return array;
}

/// How far the result is from its reference.
static Check measureError(const ArrayView &result, const ArrayView &reference,
                          size_t number) {
  Check check;
  check.result = number;
  check.reference = norm(reference);
  check.error = distance(result, reference);
  return check;
}

static Expected<Check> checkAgainstDouble(const ArrayView &result,
                                          const NpzReader &expected,
                                          size_t number, double rtol) {
  std::string single = "res" + std::to_string(number);
  Expected<Array> exact =
      readReference(expected, "res64_" + std::to_string(number), result.type);
  if (!exact)
    return exact.takeError();
  Check check = measureError(result, *exact, number);
  check.tolerance = rtol * check.reference;
  if (expected.has(single)) {
    Expected<Array> own = readReference(expected, single, result.type);
    if (!own)
      return own.takeError();
    check.tolerance =
        std::max(check.tolerance, kFramework * distance(*own, *exact));
  }
  return check;
}

static Expected<Check> checkAgainstSingle(const ArrayView &result,
                                          const NpzReader &expected,
                                          size_t number) {
  Expected<Array> reference =
      readReference(expected, "res" + std::to_string(number), result.type);
  if (!reference)
    return reference.takeError();
  return measureError(result, *reference, number);
}

Expected<std::vector<Check>>
memopt::run::compareResults(ArrayRef<ArrayView> results,
                            const NpzReader &expected, double rtol) {
  std::vector<Check> checks;
  std::vector<size_t> withoutDouble;
  double largest = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    bool hasDouble = expected.has("res64_" + std::to_string(i));
    Expected<Check> check =
        hasDouble ? checkAgainstDouble(results[i], expected, i, rtol)
                  : checkAgainstSingle(results[i], expected, i);
    if (!check)
      return check.takeError();
    largest = std::max(largest, check->reference);
    if (!hasDouble)
      withoutDouble.push_back(i);
    checks.push_back(*check);
  }
  for (size_t i : withoutDouble)
    checks[i].tolerance =
        rtol * std::max(checks[i].reference, kFloor * largest);
  return checks;
}

std::vector<Check> memopt::run::compareResults(ArrayRef<ArrayView> results,
                                               ArrayRef<ArrayView> references,
                                               double rtol) {
  std::vector<Check> checks;
  double largest = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    checks.push_back(measureError(results[i], references[i], i));
    largest = std::max(largest, checks.back().reference);
  }
  for (Check &check : checks)
    check.tolerance = rtol * std::max(check.reference, kFloor * largest);
  return checks;
}

const Check *memopt::run::worst(ArrayRef<Check> checks) {
  const Check *found = nullptr;
  for (const Check &check : checks) {
    bool isWorse = !found || check.share() > found->share() ||
                   (std::isnan(check.share()) && !std::isnan(found->share()));
    if (isWorse && !(found && std::isnan(found->share())))
      found = &check;
  }
  return found;
}
