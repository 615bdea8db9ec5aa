//===- Optimizer.h - SGD and AdamW ------------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Updates as PyTorch 2 defines them (torch.optim.SGD and torch.optim.AdamW, the
// single-tensor form), with t the number of the step, from 1. SGD:
//
//     g <- g + weightDecay p
//     b <- g for t = 1, else momentum b + (1 - dampening) g     (momentum != 0)
//     g <- g + momentum b with nesterov, else b                 (momentum != 0)
//     p <- p - rate g
//
// AdamW (Loshchilov and Hutter, ICLR 2019):
//
//     p <- p (1 - rate weightDecay)
//     m <- m + (1 - beta1) (g - m)
//     v <- beta2 v + (1 - beta2) g^2
//     p <- p - rate / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
//
// The state has the parameter's type. Computation is in that type, for 16-bit
// floats in float32 with each of PyTorch's operations rounded to the type.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_OPTIMIZER_H
#define MEMOPT_RUN_OPTIMIZER_H

#include "MemOpt/Run/Array.h"
#include <vector>

namespace memopt::run {

enum class OptimizerKind {
  /// Leaves the arguments as the step leaves them.
  None,
  Sgd,
  AdamW
};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::Sgd;
  double rate = 1e-3;
  double weightDecay = 0;
  // SGD.
  double momentum = 0, dampening = 0;
  bool nesterov = false;
  // AdamW.
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

class Optimizer {
public:
  /// `options.rate` is given with each update.
  explicit Optimizer(const OptimizerOptions &options) : options(options) {}

  /// Updates the parameter `slot`, the same one at every call with that number;
  /// an error where `gradient` has another type or that type is none of floats.
  llvm::Error update(size_t slot, double rate, Array &parameter,
                     const ArrayView &gradient);

  /// Bytes of the state so far.
  int64_t stateBytes() const;

private:
  struct Slot {
    int64_t steps = 0;
    /// SGD: the momentum buffer. AdamW: both moments.
    std::vector<Array> state;
  };
  llvm::Error addState(Slot &slot, const Array &parameter) const;

  OptimizerOptions options;
  std::vector<Slot> slots;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_OPTIMIZER_H
