//===- Results.h - how a step's results lie in memory -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KERNELS_RESULTS_H
#define MEMOPT_LIB_KERNELS_RESULTS_H

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/FusionPlan.h"

namespace memopt {

/// True where `value` has the bytes of its storage, in their order.
bool isReshape(mlir::Value value);

/// For each value of the graph, what its kernel writes in its place: a returned
/// transpose of it, where nothing but that is read elsewhere, so that the
/// result needs no copy; null for the value itself.
std::vector<mlir::Value> chooseLayouts(mlir::Block &step,
                                       const BuiltStepGraph &built,
                                       const FusionPlan &fusion);

} // namespace memopt

#endif // MEMOPT_LIB_KERNELS_RESULTS_H
