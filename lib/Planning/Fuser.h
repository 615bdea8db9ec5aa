//===- Fuser.h - fusion of one schedule after another -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fuse() does (FusionPlan.h has the rules), for many schedules of one
// step.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_FUSER_H
#define MEMOPT_LIB_PLANNING_FUSER_H

#include "FlatStep.h"
#include "MemOpt/Planning/FusionPlan.h"

namespace memopt {

/// Its members are scratch that is kept from one schedule to the next.
class Fuser {
public:
  /// `step` must outlive it.
  explicit Fuser(const FlatStep &step) : step(step) {}

  FusionPlan run(const std::vector<Run> &order, const ScheduleReads &reads);

private:
  /// A kernel while it grows.
  struct Kernel {
    OpClass opClass;
    bool forward;
    /// Points of the full iteration space, and rows; 0 rows while no member has
    /// any.
    int64_t points, rows;
    /// Reads of its results that no member has made yet, returned results
    /// counted as read once more at the end.
    int pending = 0;
    /// The kernel that stands before it, and the last one that read it aligned.
    int previous, reader = -1;
    /// The last kernel that it reads at other places than its own points: what
    /// is summed there is not known before that kernel ends.
    int readsAcross = -1;
    bool isRowwise() const {
      return opClass == OpClass::Elementwise ||
             opClass == OpClass::RowReduction;
    }
  };
  /// A run that is being placed: its op, and its sources, one an operand.
  struct Placed {
    const FlatOp &op;
    const FlatOperand *operands;
    const int *begin, *end;
    bool forward;
  };

  void countReaders(const std::vector<Run> &order, const ScheduleReads &reads);
  int find(int kernel);
  void place(int position, const Placed &run);
  int hostOf(const Placed &run);
  bool fits(const Kernel &kernel, const FlatOp &op, int fromHost) const;
  static bool fitsRows(const Kernel &kernel, const FlatOp &op, int64_t rows);
  void join(int host, const FlatOp &op);
  void consume(const Placed &run, int host);
  void mergeBackwards(int host);
  bool mergeable(int before, int host);
  FusionPlan collect();

  const FlatStep &step;
  std::vector<Kernel> kernels;
  /// Where each kernel went when it was merged; itself while it stands.
  std::vector<int> merged;
  std::vector<int> kernelOf, readers, number;
  /// The kernels of the sources of the run that is being placed; -1 for
  /// arguments.
  std::vector<int> makers;
  int last = -1;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_FUSER_H
