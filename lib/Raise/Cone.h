//===- Cone.h - the ops behind a tensor -------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_CONE_H
#define MEMOPT_LIB_RAISE_CONE_H

#include "ScalarGraph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace memopt::raising {

/// The ops of a block between a tensor and the tensors it is computed from.
struct Cone {
  /// In program order; with the constants, fills and empty tensors they read.
  llvm::SmallVector<mlir::Operation *> ops;
  /// What the ops read from outside, each once.
  llvm::SetVector<mlir::Value> inputs;

  /// The tensor that is defined last among the inputs that hold node `id`,
  /// reshapes stripped; null where there is none. A program that computes x
  /// again for its backward reads the second x there, and so must the op that
  /// replaces it.
  mlir::Value lastInput(const ScalarGraph &graph, NodeId id) const;
};

/// Collects the ops behind `root`, entering a value where `enter` says so for
/// its node. Constants are entered always, function arguments never.
Cone collectCone(const ScalarGraph &graph, mlir::Value root,
                 llvm::function_ref<bool(NodeId)> enter);

/// Clones the cone's ops at the builder's place. `mapping` has a value for
/// every input. An output tensor that only gives a shape becomes an empty one,
/// so that the clones depend on the inputs alone.
void cloneCone(const Cone &cone, mlir::OpBuilder &builder,
               mlir::IRMapping &mapping);

/// The values that `op` reads, from inside its regions too.
llvm::SetVector<mlir::Value> collectReads(mlir::Operation *op);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_CONE_H
