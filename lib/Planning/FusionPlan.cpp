//===- FusionPlan.cpp - which runs form one kernel ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuser.h"

#include <algorithm>

using namespace memopt;

FusionPlan Fuser::run(const std::vector<Run> &order,
                      const ScheduleReads &reads) {
  kernels.clear();
  merged.clear();
  last = -1;
  countReaders(order, reads);
  kernelOf.resize(order.size());
  const int *source = reads.source.data();
  for (int p = 0, e = static_cast<int>(order.size()); p < e; ++p) {
    const FlatOp &op = step.ops[order[p].op];
    place(p,
          {op, step.operands.data() + op.operandBegin, source + reads.begin[p],
           source + reads.begin[p + 1], step.isForward(order[p])});
  }
  return collect();
}

/// The kernel that a kernel has become part of. What it walks over is shortened
/// for the next time.
int Fuser::find(int kernel) {
  while (merged[kernel] != kernel)
    kernel = merged[kernel] = merged[merged[kernel]];
  return kernel;
}

/// Readers of each run, and of each run's first result alone where it has just
/// one.
void Fuser::countReaders(const std::vector<Run> &order,
                         const ScheduleReads &reads) {
  readers.assign(order.size(), 0);
  for (int source : reads.source)
    if (source >= 0)
      ++readers[source];
  for (size_t p = 0; p < order.size(); ++p) {
    if (order[p].copy != 0)
      continue;
    int op = order[p].op;
    for (int r = step.ops[op].resultBegin; r < step.ops[op + 1].resultBegin;
         ++r)
      readers[p] += step.results[r].returned;
  }
}

void Fuser::place(int position, const Placed &run) {
  int host = hostOf(run);
  if (host < 0) {
    host = static_cast<int>(kernels.size());
    int64_t rows = run.op.opClass == OpClass::RowReduction ? run.op.rows : 0;
    kernels.push_back(
        {run.op.opClass, run.forward, run.op.points, rows, 0, last, -1, -1});
    merged.push_back(host);
    last = host;
  } else {
    join(host, run.op);
  }
  kernelOf[position] = host;
  kernels[host].pending += readers[position];
  consume(run, host);
  mergeBackwards(host);
}

/// The kernel that the run may join, or -1. Notes the kernels of its sources.
int Fuser::hostOf(const Placed &run) {
  int host = -1;
  makers.resize(run.end - run.begin);
  for (size_t i = 0; i < makers.size(); ++i) {
    makers[i] = run.begin[i] < 0 ? -1 : find(kernelOf[run.begin[i]]);
    host = std::max(host, makers[i]);
  }
  if (host < 0 || kernels[host].forward != run.forward)
    return -1;
  int fromHost = 0;
  bool aligned = true;
  int64_t dying = 0;
  for (size_t i = 0; i < makers.size(); ++i) {
    if (makers[i] != host)
      continue;
    const FlatOperand &operand = run.operands[i];
    ++fromHost;
    aligned &= operand.aligned;
    if (readers[run.begin[i]] == 1)
      dying += step.results[step.ops[operand.maker].resultBegin + operand.slot]
                   .bytes;
  }
  if (!aligned || !fits(kernels[host], run.op, fromHost))
    return -1;
  bool stays = host == last;
  return stays || (run.op.movable && run.op.resultBytes <= dying) ? host : -1;
}

/// Whether the run's class and shape fit the kernel, of which it reads
/// `fromHost` operands.
bool Fuser::fits(const Kernel &kernel, const FlatOp &op, int fromHost) const {
  bool onlyReader = kernel.pending == fromHost;
  switch (op.opClass) {
  case OpClass::Elementwise:
    if (kernel.opClass == OpClass::Contraction)
      return onlyReader;
    return kernel.isRowwise() && fitsRows(kernel, op, 0);
  case OpClass::RowReduction:
    return kernel.isRowwise() && fitsRows(kernel, op, op.rows);
  case OpClass::ColumnReduction:
    return kernel.opClass == OpClass::Elementwise && onlyReader &&
           op.points == kernel.points;
  default:
    return false;
  }
}

/// Same points; or the statistics of the kernel's rows; or the full rows of a
/// kernel that so far only has statistics.
bool Fuser::fitsRows(const Kernel &kernel, const FlatOp &op, int64_t rows) {
  if (rows && kernel.rows && rows != kernel.rows)
    return false;
  if (op.points == kernel.points || (!rows && op.points == kernel.rows))
    return true;
  return op.rows == kernel.points &&
         (!kernel.rows || kernel.rows == kernel.points);
}

void Fuser::join(int host, const FlatOp &op) {
  Kernel &kernel = kernels[host];
  if (op.opClass == OpClass::ColumnReduction)
    kernel.opClass = OpClass::ColumnReduction;
  if (kernel.opClass == OpClass::Contraction)
    return;
  if (op.points > kernel.points) {
    kernel.rows = kernel.points;
    kernel.points = op.points;
  }
  if (op.opClass == OpClass::RowReduction) {
    kernel.opClass = OpClass::RowReduction;
    kernel.rows = op.rows;
  }
}

/// Takes the run's reads off the kernels that it reads.
void Fuser::consume(const Placed &run, int host) {
  for (size_t i = 0; i < makers.size(); ++i) {
    if (makers[i] == host)
      --kernels[host].pending;
    else if (makers[i] >= 0 && run.operands[i].aligned)
      kernels[makers[i]].reader = host;
    else
      kernels[host].readsAcross =
          std::max(kernels[host].readsAcross, makers[i]);
  }
}

/// Merges the kernels before `host` into it while it reads them and they fit.
void Fuser::mergeBackwards(int host) {
  while (true) {
    Kernel &kernel = kernels[host];
    int before = kernel.previous;
    if (before < 0 || kernels[before].reader < 0 ||
        find(kernels[before].reader) != host || !mergeable(before, host))
      return;
    Kernel &earlier = kernels[before];
    if (earlier.opClass == OpClass::RowReduction)
      kernel.opClass = OpClass::RowReduction;
    kernel.rows = std::max(kernel.rows, earlier.rows);
    // Reads between the two are not taken off: pending only decides
    // epilogues and prologues, for which too large is safe.
    kernel.pending += earlier.pending;
    kernel.readsAcross = std::max(kernel.readsAcross, earlier.readsAcross);
    kernel.previous = earlier.previous;
    merged[before] = host;
  }
}

bool Fuser::mergeable(int before, int host) {
  const Kernel &a = kernels[before], &b = kernels[host];
  return a.isRowwise() && b.isRowwise() && a.forward == b.forward &&
         a.points == b.points && (!a.rows || !b.rows || a.rows == b.rows) &&
         (b.readsAcross < 0 || find(b.readsAcross) != before);
}

/// Numbers the kernels that stand, in order, and lists their members.
FusionPlan Fuser::collect() {
  FusionPlan plan;
  number.assign(kernels.size(), -1);
  int count = 0;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (merged[k] == static_cast<int>(k))
      number[k] = count++;
  plan.begin.assign(count + 1, 0);
  plan.kernelOf.resize(kernelOf.size());
  for (size_t p = 0; p < kernelOf.size(); ++p) {
    int kernel = number[find(kernelOf[p])];
    plan.kernelOf[p] = kernel;
    ++plan.begin[kernel + 1];
  }
  for (int k = 0; k < count; ++k)
    plan.begin[k + 1] += plan.begin[k];
  plan.members.resize(kernelOf.size());
  // `number` has become free: where the next member of each kernel goes.
  number.assign(plan.begin.begin(), plan.begin.end() - 1);
  for (size_t p = 0; p < kernelOf.size(); ++p)
    plan.members[number[plan.kernelOf[p]]++] = static_cast<int>(p);
  return plan;
}

FusionPlan memopt::fuse(const StepGraph &graph, const Schedule &schedule,
                        const ScheduleReads &reads) {
  FlatStep step(graph);
  return Fuser(step).run(schedule.order, reads);
}
