//===- Steps.h - training steps to plan -------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_PLANNING_STEPS_H
#define MEMOPT_TEST_PLANNING_STEPS_H

#include "MemOpt/Planning/StepGraph.h"

#include <random>

namespace memopt::test {

/// Builds a step op by op.
class StepBuilder {
public:
  StepGraph graph;

  int argument(int64_t bytes, std::string name = "arg");
  /// An op with one result; operands that are listed in `broadcast` are not
  /// read aligned. Returns the result.
  int op(OpClass opClass, int64_t points, std::vector<int> aligned,
         std::vector<int> other, int64_t bytes, std::string name,
         int64_t rowLength = 1, int64_t flops = 0);
  void endForward() { graph.forwardEnd = static_cast<int>(graph.ops.size()); }
  void setReturned(int value) { graph.values[value].returned = true; }
  /// Bytes of an element, for the ops that follow.
  int elementBytes = 4;
};

/// The step of `uniform_chain32.mlir` with any number of layers: matrix product
/// and erf-GELU, rows x width floats, forward and backward with weight
/// gradients.
StepGraph uniformChain(int layers, int64_t rows = 4096, int64_t width = 64);

struct TransformerShape {
  int layers;
  int64_t batch, sequence, width, heads, hidden, vocabulary;
  int elementBytes = 4;
  bool causal = false; // a mask is added to the scores
  bool lora = false;   // weights frozen, rank-8 adapters on q and v
};

/// Pre-norm transformer with LayerNorm, erf-GELU and attention as matrix
/// products: GPT-2 and ViT as captured, norms and activations as single ops.
StepGraph transformer(const TransformerShape &shape);

/// LLaMA: RMSNorm in float32 around bf16, rotary embeddings, SiLU-gated
/// feed-forward.
StepGraph llama(const TransformerShape &shape);

/// A random step of `forward` and `backward` ops, some with two results, some
/// that may not run twice, some values returned.
StepGraph randomStep(std::mt19937 &random, int forward, int backward);

} // namespace memopt::test

#endif // MEMOPT_TEST_PLANNING_STEPS_H
