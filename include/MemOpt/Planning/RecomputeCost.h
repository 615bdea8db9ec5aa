//===- RecomputeCost.h - what running an op again costs ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The price of recomputation, additive over ops, so that the minimum cut and
// the knapsack can add it up; and the modelled time of whole kernels.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_RECOMPUTECOST_H
#define MEMOPT_PLANNING_RECOMPUTECOST_H

#include "MemOpt/Planning/Device.h"
#include "MemOpt/Planning/FusionPlan.h"

namespace memopt {

/// The price of each op in picoseconds.
///
/// A contraction: the roofline of its FLOPs and of its own traffic, all
/// operands read and all results written. Anything else is priced as fused, by
/// its share of its kernel's traffic in one reference schedule, in which every
/// value that is no contraction's, gather's or opaque op's is made anew for
/// each kernel of the backward that needs it: what it reads from outside the
/// kernel and nothing else there reads (the first reader pays; what the
/// backward's own ops read anyway is free), plus those of its results that
/// leave the kernel; the largest over its runs. An op that the reference does
/// not run again is priced by its share of the forward. So elementwise work
/// that melts into its reader costs nothing, and work that ends in a matrix
/// product's operand costs the traffic of a kernel. A read counts at most
/// points * elementBytes, since a gather does not read its whole table.
///
/// Empty with a message where the graph is not sane or a sum passes 2^62.
std::vector<int64_t> priceOps(const StepGraph &graph, const Device &device,
                              std::string &error);

/// Modelled time of a schedule in picoseconds: for each kernel the roofline of
/// its FLOPs and of what it reads from outside and writes for others. None
/// where it passes 2^62.
std::optional<int64_t> timeSchedule(const StepGraph &graph,
                                    const Schedule &schedule,
                                    const ScheduleReads &reads,
                                    const FusionPlan &fusion,
                                    const Device &device);

} // namespace memopt

#endif // MEMOPT_PLANNING_RECOMPUTECOST_H
