//===- Reorder.h - an order that needs less at once -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reordering of a whole step that never raises its simulated peak.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_REORDER_H
#define MEMOPT_PLANNING_REORDER_H

#include "MemOpt/Planning/PeakMemory.h"

namespace memopt {

/// A schedule of the captured step in a better order: whatever frees at least
/// as much as it makes runs as soon as it can, so that gradients are consumed
/// early and weight gradients stand next to their operands; everything else
/// keeps its order. What is moved are the kernels that the captured order
/// forms. The forward stays before the backward, its last op (which makes the
/// loss, and so tells where it ends) stays the last, and ops that may not move
/// keep their order among each other.
///
/// Returned only where the simulated peak is smaller, or the same with fewer
/// bytes alive on average; else the captured schedule.
Schedule reorderStep(const StepGraph &graph, const PeakOptions &options = {});

} // namespace memopt

#endif // MEMOPT_PLANNING_REORDER_H
