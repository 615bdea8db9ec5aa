//===- Transformers.cpp - training steps of transformers ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include <array>

using namespace memopt;
using namespace memopt::test;

namespace {

constexpr int64_t rank = 8;

/// What the two families share. n points of the residual stream, rows tokens.
class TransformerBuilder : public StepBuilder {
public:
  explicit TransformerBuilder(const TransformerShape &shape) : s(shape) {
    elementBytes = s.elementBytes;
  }

protected:
  int64_t rows() const { return s.batch * s.sequence; }
  int64_t points() const { return rows() * s.width; }
  int64_t bytesOf(int64_t points) const { return points * elementBytes; }

  int weight(int64_t in, int64_t out, std::string name) {
    return argument(bytesOf(in * out), std::move(name));
  }
  /// rows x in times in x out.
  int product(std::vector<int> operands, int64_t m, int64_t k, int64_t n,
              std::string name) {
    return op(OpClass::Contraction, m * k * n, {}, std::move(operands),
              bytesOf(m * n), std::move(name), 1, 2 * m * k * n);
  }
  int elementwise(std::vector<int> aligned, std::vector<int> other,
                  int64_t points, int64_t row, std::string name,
                  int bytes = 0) {
    return op(OpClass::Elementwise, points, std::move(aligned),
              std::move(other), points * (bytes ? bytes : elementBytes),
              std::move(name), row);
  }
  int rowSum(std::vector<int> aligned, int64_t points, int64_t row,
             std::string name) {
    return op(OpClass::RowReduction, points, std::move(aligned), {},
              points / row * 4, std::move(name), row);
  }
  void columnSum(std::vector<int> aligned, int64_t points, int64_t row,
                 std::string name) {
    setReturned(op(OpClass::ColumnReduction, points, std::move(aligned), {},
                   row * elementBytes, std::move(name), 1));
  }
  int more(int64_t bytes, std::string name) {
    int v = static_cast<int>(graph.values.size());
    int o = static_cast<int>(graph.ops.size()) - 1;
    graph.values.push_back({bytes, o, false, std::move(name)});
    graph.ops[o].results.push_back(v);
    return v;
  }

  /// A linear layer with bias.
  struct Linear {
    int weight, out;
    int64_t in, outWidth;
  };
  Linear linear(int x, int64_t in, int64_t out, std::string name, bool bias) {
    Linear l{weight(in, out, name + ".w"), -1, in, out};
    l.out = product({x, l.weight}, rows(), in, out, name);
    if (bias)
      l.out = elementwise({l.out}, {argument(bytesOf(out))}, rows() * out, out,
                          name + ".b");
    return l;
  }
  /// Gradient of the input; weight and bias gradients are results.
  int linearGrad(const Linear &l, int x, int dy, std::string name, bool bias) {
    if (!s.lora) {
      if (bias)
        columnSum({dy}, rows() * l.outWidth, l.outWidth, name + ".db");
      setReturned(product({x, dy}, l.in, rows(), l.outWidth, name + ".dw"));
    }
    return product({dy, l.weight}, rows(), l.outWidth, l.in, name + ".dx");
  }
  int add(int a, int b, std::string name) {
    return elementwise({a, b}, {}, points(), s.width, std::move(name));
  }

  /// Softmax over rows of scores, as captured; in float32.
  int softmax(int scores, int64_t points, std::string name) {
    int x = scores;
    if (elementBytes == 2)
      x = elementwise({x}, {}, points, s.sequence, name + ".f32", 4);
    int top = rowSum({x}, points, s.sequence, name + ".max");
    int e = elementwise({x, top}, {}, points, s.sequence, name + ".exp", 4);
    int sum = rowSum({e}, points, s.sequence, name + ".sum");
    int y = elementwise({e, sum}, {}, points, s.sequence, name + ".div", 4);
    return y;
  }
  int softmaxGrad(int p, int dp, int64_t points, std::string name) {
    int x = dp;
    if (elementBytes == 2)
      x = elementwise({x}, {}, points, s.sequence, name + ".f32", 4);
    int t = elementwise({x, p}, {}, points, s.sequence, name + ".t", 4);
    int sum = rowSum({t}, points, s.sequence, name + ".s");
    int u = elementwise({p, sum}, {}, points, s.sequence, name + ".u", 4);
    int ds = elementwise({t, u}, {}, points, s.sequence, name + ".ds", 4);
    if (elementBytes == 2)
      ds = elementwise({ds}, {}, points, s.sequence, name + ".half");
    return elementwise({ds}, {}, points, s.sequence, name + ".scale");
  }

  struct Attention {
    int q, k, v, p, pRead, out;
  };
  Attention attention(int q, int k, int v, std::string name) {
    int64_t head = s.width / s.heads;
    int64_t tt = s.batch * s.heads * s.sequence * s.sequence;
    Attention a{q, k, v, -1, -1, -1};
    int scores = product({q, k}, s.batch * s.heads * s.sequence, head,
                         s.sequence, name + ".qk");
    scores = elementwise({scores}, {}, tt, s.sequence, name + ".scale");
    if (s.causal)
      scores = elementwise({scores}, {argument(s.sequence * s.sequence)}, tt,
                           s.sequence, name + ".mask");
    a.p = a.pRead = softmax(scores, tt, name + ".softmax");
    if (elementBytes == 2)
      a.pRead = elementwise({a.p}, {}, tt, s.sequence, name + ".p");
    a.out = product({a.pRead, v}, s.batch * s.heads * s.sequence, s.sequence,
                    head, name + ".pv");
    return a;
  }
  /// Gradients of q, k and v.
  std::array<int, 3> attentionGrad(const Attention &a, int d,
                                   std::string name) {
    int64_t head = s.width / s.heads, m = s.batch * s.heads * s.sequence;
    int dv = product({a.pRead, d}, m, s.sequence, head, name + ".dv");
    int dp = product({d, a.v}, m, head, s.sequence, name + ".dp");
    int ds = softmaxGrad(a.p, dp, m * s.sequence, name);
    int dk = product({ds, a.q}, m, s.sequence, head, name + ".dk");
    int dq = product({ds, a.k}, m, s.sequence, head, name + ".dq");
    return {dq, dk, dv};
  }

  /// Cross entropy over the vocabulary; ends the forward and returns the
  /// gradient of the logits.
  int loss(int x, Linear &head) {
    head = linear(x, s.width, s.vocabulary, "head", false);
    int64_t n = rows() * s.vocabulary;
    int logits = head.out;
    if (elementBytes == 2)
      logits = elementwise({logits}, {}, n, s.vocabulary, "logits.f32", 4);
    int top = rowSum({logits}, n, s.vocabulary, "loss.max");
    int shifted =
        elementwise({logits, top}, {}, n, s.vocabulary, "loss.shifted", 4);
    int e = elementwise({shifted}, {}, n, s.vocabulary, "loss.exp", 4);
    int sum = rowSum({e}, n, s.vocabulary, "loss.sum");
    int l = elementwise({shifted, sum}, {}, n, s.vocabulary, "loss.log", 4);
    setReturned(op(OpClass::Opaque, rows(), {}, {l}, 4, "loss"));
    endForward();
    int p = elementwise({l}, {}, n, s.vocabulary, "loss.p", 4);
    return elementwise({p}, {}, n, s.vocabulary, "dlogits");
  }

  const TransformerShape s;
};

class GptBuilder : public TransformerBuilder {
  struct Norm {
    int x, y, mean, rstd;
  };
  struct Layer {
    Norm n1, n2;
    Linear q, k, v, o, f1, f2;
    Attention a;
    int gelu;
  };

public:
  using TransformerBuilder::TransformerBuilder;

  StepGraph build() {
    int x = argument(bytesOf(points()), "x");
    std::vector<Layer> layers;
    for (int i = 0; i < s.layers; ++i)
      x = forward(layers.emplace_back(), x, "l" + std::to_string(i));
    Norm last = norm(x, "ln");
    Linear head;
    int d = loss(last.y, head);
    d = normGrad(last, linearGrad(head, last.y, d, "head", false), "ln");
    for (int i = s.layers - 1; i >= 0; --i)
      d = backward(layers[i], d, "l" + std::to_string(i));
    setReturned(d);
    return graph;
  }

private:
  Norm norm(int x, std::string name) {
    Norm n{x, -1, -1, -1};
    n.y = op(OpClass::RowReduction, points(), {x}, {argument(bytesOf(s.width))},
             bytesOf(points()), name, s.width);
    n.mean = more(rows() * 4, name + ".mean");
    n.rstd = more(rows() * 4, name + ".rstd");
    return n;
  }
  int normGrad(const Norm &n, int dy, std::string name) {
    if (!s.lora) {
      columnSum({dy, n.x, n.mean, n.rstd}, points(), s.width, name + ".dgamma");
      columnSum({dy}, points(), s.width, name + ".dbeta");
    }
    return op(OpClass::RowReduction, points(), {dy, n.x, n.mean, n.rstd}, {},
              bytesOf(points()), name + ".dx", s.width);
  }

  int forward(Layer &l, int x, std::string n) {
    l.n1 = norm(x, n + ".ln1");
    l.q = linear(l.n1.y, s.width, s.width, n + ".q", true);
    l.k = linear(l.n1.y, s.width, s.width, n + ".k", true);
    l.v = linear(l.n1.y, s.width, s.width, n + ".v", true);
    l.a = attention(l.q.out, l.k.out, l.v.out, n + ".att");
    l.o = linear(l.a.out, s.width, s.width, n + ".o", true);
    int mid = add(x, l.o.out, n + ".mid");
    l.n2 = norm(mid, n + ".ln2");
    l.f1 = linear(l.n2.y, s.width, s.hidden, n + ".f1", true);
    l.gelu =
        elementwise({l.f1.out}, {}, rows() * s.hidden, s.hidden, n + ".gelu");
    l.f2 = linear(l.gelu, s.hidden, s.width, n + ".f2", true);
    return add(mid, l.f2.out, n + ".out");
  }

  int backward(const Layer &l, int d, std::string n) {
    int dg = linearGrad(l.f2, l.gelu, d, n + ".f2", true);
    int df = elementwise({dg, l.f1.out}, {}, rows() * s.hidden, s.hidden,
                         n + ".dgelu");
    int dy = linearGrad(l.f1, l.n2.y, df, n + ".f1", true);
    int dmid = add(d, normGrad(l.n2, dy, n + ".ln2"), n + ".dmid");
    int dc = linearGrad(l.o, l.a.out, dmid, n + ".o", true);
    auto [dq, dk, dv] = attentionGrad(l.a, dc, n + ".att");
    int y1 = linearGrad(l.v, l.n1.y, dv, n + ".v", true);
    int y2 = linearGrad(l.k, l.n1.y, dk, n + ".k", true);
    int y3 = linearGrad(l.q, l.n1.y, dq, n + ".q", true);
    dy = add(add(y1, y2, n + ".dy12"), y3, n + ".dy");
    return add(dmid, normGrad(l.n1, dy, n + ".ln1"), n + ".dx");
  }
};

class LlamaBuilder : public TransformerBuilder {
  struct Norm {
    int x32, r, rounded, y;
  };
  struct Adapted {
    Linear base;
    int a, b, low, out;
  };
  struct Layer {
    Norm n1, n2;
    Adapted q, v;
    Linear k, o, gate, up, down;
    Attention att;
    int sigmoid, silu, gated;
  };

public:
  using TransformerBuilder::TransformerBuilder;

  StepGraph build() {
    int x = argument(bytesOf(points()), "x");
    cosine = argument(s.sequence * (s.width / s.heads) * elementBytes, "cos");
    std::vector<Layer> layers;
    for (int i = 0; i < s.layers; ++i)
      x = forward(layers.emplace_back(), x, "l" + std::to_string(i));
    Norm last = norm(x, "norm");
    Linear head;
    int d = loss(last.y, head);
    d = normGrad(last, linearGrad(head, last.y, d, "head", false), "norm");
    for (int i = s.layers - 1; i >= 0; --i)
      d = backward(layers[i], d, "l" + std::to_string(i));
    return graph;
  }

private:
  int wide(std::vector<int> aligned, std::string name, int bytes) {
    return elementwise(std::move(aligned), {}, points(), s.width,
                       std::move(name), bytes);
  }
  Norm norm(int x, std::string name) {
    Norm n;
    n.x32 = wide({x}, name + ".x32", 4);
    int sq = wide({n.x32}, name + ".sq", 4);
    int mean = rowSum({sq}, points(), s.width, name + ".mean");
    n.r = elementwise({mean}, {}, rows(), 1, name + ".r", 4);
    int xhat = wide({n.x32, n.r}, name + ".xhat", 4);
    n.rounded = wide({xhat}, name + ".half", 2);
    n.y = elementwise({n.rounded}, {argument(bytesOf(s.width))}, points(),
                      s.width, name + ".y", 2);
    return n;
  }
  int normGrad(const Norm &n, int dy, std::string name) {
    int dg = elementwise({dy}, {argument(bytesOf(s.width))}, points(), s.width,
                         name + ".dg", 2);
    int g = wide({dg}, name + ".g32", 4);
    int gx = wide({g, n.x32}, name + ".gx", 4);
    int sum = rowSum({gx}, points(), s.width, name + ".gsum");
    int r3 = elementwise({n.r}, {}, rows(), 1, name + ".r3", 4);
    int c = elementwise({sum, r3}, {}, rows(), 1, name + ".c", 4);
    int a = wide({g, n.r}, name + ".a", 4);
    int b = wide({n.x32, c}, name + ".bx", 4);
    int sumAb = wide({a, b}, name + ".ab", 4);
    return wide({sumAb}, name + ".dx", 2);
  }
  int rotary(int x, std::string name) {
    int half = op(OpClass::Movement, points(), {}, {x}, bytesOf(points()),
                  name + ".half");
    int a = elementwise({x}, {cosine}, points(), 1, name + ".cos");
    int b = elementwise({half}, {cosine}, points(), 1, name + ".sin");
    return elementwise({a, b}, {}, points(), 1, name + ".rot");
  }
  Adapted adapted(int x, std::string name) {
    Adapted l;
    l.base = linear(x, s.width, s.width, name, false);
    l.a = weight(s.width, rank, name + ".A");
    l.b = weight(rank, s.width, name + ".B");
    l.low = product({x, l.a}, rows(), s.width, rank, name + ".low");
    int high = product({l.low, l.b}, rows(), rank, s.width, name + ".high");
    int scaled = wide({high}, name + ".scaled", 2);
    l.out = wide({l.base.out, scaled}, name + ".sum", 2);
    return l;
  }
  int adaptedGrad(const Adapted &l, int x, int dy, std::string name) {
    int d = wide({dy}, name + ".dscaled", 2);
    setReturned(product({l.low, d}, rank, rows(), s.width, name + ".dB"));
    int dlow = product({d, l.b}, rows(), s.width, rank, name + ".dlow");
    setReturned(product({x, dlow}, s.width, rows(), rank, name + ".dA"));
    int a = product({dlow, l.a}, rows(), rank, s.width, name + ".dxA");
    int b = linearGrad(l.base, x, dy, name, false);
    return wide({a, b}, name + ".dx", 2);
  }

  int forward(Layer &l, int x, std::string n) {
    l.n1 = norm(x, n + ".n1");
    l.q = adapted(l.n1.y, n + ".q");
    l.k = linear(l.n1.y, s.width, s.width, n + ".k", false);
    l.v = adapted(l.n1.y, n + ".v");
    l.att = attention(rotary(l.q.out, n + ".rq"), rotary(l.k.out, n + ".rk"),
                      l.v.out, n + ".att");
    l.o = linear(l.att.out, s.width, s.width, n + ".o", false);
    int mid = add(x, l.o.out, n + ".mid");
    l.n2 = norm(mid, n + ".n2");
    l.gate = linear(l.n2.y, s.width, s.hidden, n + ".gate", false);
    l.up = linear(l.n2.y, s.width, s.hidden, n + ".up", false);
    int64_t h = rows() * s.hidden;
    l.sigmoid = elementwise({l.gate.out}, {}, h, s.hidden, n + ".sigmoid");
    l.silu = elementwise({l.gate.out, l.sigmoid}, {}, h, s.hidden, n + ".silu");
    l.gated = elementwise({l.silu, l.up.out}, {}, h, s.hidden, n + ".gated");
    l.down = linear(l.gated, s.hidden, s.width, n + ".down", false);
    return add(mid, l.down.out, n + ".out");
  }

  int backward(const Layer &l, int d, std::string n) {
    int64_t h = rows() * s.hidden;
    int dg = linearGrad(l.down, l.gated, d, n + ".down", false);
    int dup = elementwise({dg, l.silu}, {}, h, s.hidden, n + ".dup");
    int ds = elementwise({dg, l.up.out}, {}, h, s.hidden, n + ".dsilu");
    int a = elementwise({l.sigmoid, l.gate.out}, {}, h, s.hidden, n + ".dsig");
    int dgate = elementwise({ds, a, l.sigmoid}, {}, h, s.hidden, n + ".dgate");
    int d1 = linearGrad(l.gate, l.n2.y, dgate, n + ".gate", false);
    int d2 = linearGrad(l.up, l.n2.y, dup, n + ".up", false);
    int dy = add(d1, d2, n + ".dn2");
    int dmid = add(d, normGrad(l.n2, dy, n + ".n2"), n + ".dmid");
    int dc = linearGrad(l.o, l.att.out, dmid, n + ".o", false);
    auto [dq, dk, dv] = attentionGrad(l.att, dc, n + ".att");
    int y1 = adaptedGrad(l.v, l.n1.y, dv, n + ".v");
    int y2 = linearGrad(l.k, l.n1.y, rotary(dk, n + ".drk"), n + ".k", false);
    int y3 = adaptedGrad(l.q, l.n1.y, rotary(dq, n + ".drq"), n + ".q");
    dy = add(add(y1, y2, n + ".dy12"), y3, n + ".dy");
    return add(dmid, normGrad(l.n1, dy, n + ".n1"), n + ".dx");
  }

  int cosine = -1;
};

} // namespace

StepGraph memopt::test::transformer(const TransformerShape &shape) {
  return GptBuilder(shape).build();
}

StepGraph memopt::test::llama(const TransformerShape &shape) {
  return LlamaBuilder(shape).build();
}
