//===- Steps.cpp - training steps to plan ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

using namespace memopt;
using namespace memopt::test;

int StepBuilder::argument(int64_t bytes, std::string name) {
  graph.values.push_back({bytes, -1, false, std::move(name)});
  return static_cast<int>(graph.values.size()) - 1;
}

int StepBuilder::op(OpClass opClass, int64_t points, std::vector<int> aligned,
                    std::vector<int> other, int64_t bytes, std::string name,
                    int64_t rowLength, int64_t flops) {
  StepOp op;
  op.opClass = opClass;
  op.points = points;
  op.rowLength = rowLength;
  op.flops = flops;
  op.elementBytes = elementBytes;
  for (int v : aligned)
    op.operands.push_back({v, true});
  for (int v : other)
    op.operands.push_back({v, false});
  int value = static_cast<int>(graph.values.size());
  op.results.push_back(value);
  graph.values.push_back(
      {bytes, static_cast<int>(graph.ops.size()), false, std::move(name)});
  graph.ops.push_back(std::move(op));
  return value;
}

StepGraph memopt::test::uniformChain(int layers, int64_t rows, int64_t width) {
  StepBuilder b;
  int64_t points = rows * width, bytes = 4 * points;
  int64_t weight = 4 * width * width, flops = 2 * rows * width * width;
  auto name = [](const char *stem, int i) { return stem + std::to_string(i); };
  auto elementwise = [&](const char *stem, int i, std::vector<int> operands) {
    return b.op(OpClass::Elementwise, points, operands, {}, bytes,
                name(stem, i));
  };
  int x = b.argument(bytes, "x"), g = b.argument(bytes, "g");
  std::vector<int> w, m(layers), p(layers), h(layers);
  for (int i = 0; i < layers; ++i)
    w.push_back(b.argument(weight, name("w", i)));
  for (int i = 0; i < layers; ++i) {
    m[i] = b.op(OpClass::Contraction, points * width, {},
                {i ? h[i - 1] : x, w[i]}, bytes, name("m", i), 1, flops);
    int a = elementwise("a", i, {m[i]});
    int f = elementwise("f", i, {a});
    p[i] = elementwise("p", i, {f});
    int q = elementwise("q", i, {m[i]});
    h[i] = elementwise("h", i, {q, p[i]});
  }
  b.endForward();
  b.setReturned(h[layers - 1]);
  int dh = g;
  for (int i = layers - 1; i >= 0; --i) {
    int cdf = elementwise("cdf", i, {p[i]});
    int sq = elementwise("sq", i, {m[i], m[i]});
    int nq = elementwise("nq", i, {sq});
    int ex = elementwise("ex", i, {nq});
    int pd = elementwise("pd", i, {ex});
    int mp = elementwise("mp", i, {m[i], pd});
    int dg = elementwise("dg", i, {cdf, mp});
    int dm = elementwise("dm", i, {dh, dg});
    int dw = b.op(OpClass::Contraction, points * width, {},
                  {i ? h[i - 1] : x, dm}, weight, name("dw", i), 1, flops);
    b.setReturned(dw);
    dh = b.op(OpClass::Contraction, points * width, {}, {dm, w[i]}, bytes,
              name("dh", i), 1, flops);
  }
  b.setReturned(dh);
  return b.graph;
}

StepGraph memopt::test::randomStep(std::mt19937 &random, int forward,
                                   int backward) {
  auto below = [&](int n) { return static_cast<int>(random() % n); };
  StepBuilder b;
  int x = b.argument(64 * (1 + below(4)), "x");
  std::vector<int> made{x};
  constexpr OpClass classes[] = {
      OpClass::Contraction,  OpClass::Elementwise,     OpClass::Elementwise,
      OpClass::RowReduction, OpClass::ColumnReduction, OpClass::Opaque};
  for (int o = 0; o < forward + backward; ++o) {
    if (o == forward)
      b.endForward();
    std::vector<int> aligned, other;
    for (int i = 0, n = 1 + below(3); i < n; ++i)
      (below(2) ? aligned : other)
          .push_back(
              made[made.size() - 1 - below(std::min<int>(made.size(), 6))]);
    if (o >= forward) // backward ops reach far back into the forward
      other.push_back(made[below(static_cast<int>(made.size()))]);
    OpClass c = classes[below(6)];
    int64_t points = 16 * (1 + below(2)),
            row = c == OpClass::RowReduction ? 4 : 1;
    made.push_back(b.op(c, points, aligned, other, 64 * below(5),
                        "v" + std::to_string(o), row, 100 * below(20)));
    if (below(5) == 0) {
      StepOp &op = b.graph.ops.back();
      made.push_back(static_cast<int>(b.graph.values.size()));
      op.results.push_back(made.back());
      b.graph.values.push_back(
          {64 * below(5), o, false, "w" + std::to_string(o)});
    }
    b.graph.ops.back().recomputable = below(8) != 0;
    b.graph.values[made.back()].returned = below(10) == 0;
  }
  b.setReturned(made.back());
  return b.graph;
}
