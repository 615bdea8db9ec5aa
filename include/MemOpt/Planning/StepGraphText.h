//===- StepGraphText.h - training steps as text -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step as text, so that planners can be tried and tested without IR.
//
//     memopt-step 1
//     values N            then N lines, in the order of their numbers:
//     v BYTES FLAGS NAME      FLAGS: a argument, r returned, - neither
//     ops N forward M     then N lines; ops [0, M) are the forward:
//     o CLASS POINTS ROW FLOPS ELEMENT FLAGS : OPERANDS : RESULTS
//
// CLASS is contraction, elementwise, row, column, movement or opaque. FLAGS: n
// may not run again, f fixed in the order, - neither. OPERANDS and RESULTS are
// numbers of values; an aligned operand is followed by `a`. `#` starts a
// comment line.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_STEPGRAPHTEXT_H
#define MEMOPT_PLANNING_STEPGRAPHTEXT_H

#include "MemOpt/Planning/StepGraph.h"

#include <iosfwd>
#include <string_view>

namespace memopt {

void printStepGraph(const StepGraph &graph, std::ostream &os);

/// Reads what `printStepGraph` writes and checks the graph. Empty, or what is
/// wrong, with the line where it is in the text.
std::string parseStepGraph(std::string_view text, StepGraph &graph);

/// `contraction`, `elementwise`, `row`, `column`, `movement`, `opaque`.
const char *getName(OpClass opClass);

} // namespace memopt

#endif // MEMOPT_PLANNING_STEPGRAPHTEXT_H
