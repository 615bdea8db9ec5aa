//===- Format.h - The text format of knapsack problems ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 0/1 form                       The multiple-choice form
//
//   n capacity                         classes m capacity
//   value weight [key]                 k
//   ... n lines                        value weight [key]
//                                      ... k lines, then the next class
//
// Numbers are decimal 64-bit integers; `#` starts a comment; empty lines do not
// count.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KNAPSACK_FORMAT_H
#define MEMOPT_KNAPSACK_FORMAT_H

#include "MemOpt/Knapsack/Problem.h"

#include <iosfwd>
#include <string_view>

namespace memopt::knapsack {

/// Reads a problem from `text`. Returns an empty string, or one message
/// `name:line: what is wrong`. The problem is syntactically right afterwards;
/// `check` says whether it is sane. `lines` receives the line of each state.
std::string parse(std::string_view text, std::string_view name,
                  Problem &problem, std::vector<size_t> *lines = nullptr);

/// Writes a problem in the format that `parse` reads; keys only where one is
/// not zero.
void print(const Problem &problem, std::ostream &os);

} // namespace memopt::knapsack

#endif // MEMOPT_KNAPSACK_FORMAT_H
