//===- ParetoPlans.h - plans by dynamic programming -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_PARETOPLANS_H
#define MEMOPT_LIB_PLANNING_PARETOPLANS_H

#include "MemOpt/MinCut/ChoiceGraph.h"

namespace memopt {

/// Plans that no other one beats in bytes and cost, by rising bytes.
///
/// From the last op to the first, an op whose results are demanded (by the
/// backward, or by an op that runs again) either keeps all of those or runs
/// again and demands what it reads. What is behind an op matters to those
/// before it through one thing only: which values made before it are demanded.
/// What the backward reads is so in any case, so that a training step has few
/// such states (two in the mean of a ViT, seven of a LLaMA), however long it
/// is. For each state the best pairs of bytes and cost are carried along:
///
///     best(i, s) = least of  (bytes(d), 0)  + best(i - 1, s \ made(i))
///                            (0, price(i))  + best(i - 1, s \ made(i) +
///                            read(i))
///
/// where d are the results of op i that are demanded. Exact while a state has
/// no more pairs than the work allows; beyond that, of pairs whose costs hardly
/// differ, the one of fewest bytes stays.
///
/// Costs that differ by less than 1/2048, or by an eighth of `costStep`, are as
/// good as equal. Empty where there are too many states for the work to be
/// worth it: some thousand over all ops.
std::vector<ChoicePlan> computeParetoPlans(const ChoiceGraph &graph,
                                           int64_t costStep);

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_PARETOPLANS_H
