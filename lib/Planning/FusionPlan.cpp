//===- FusionPlan.cpp - which runs form one kernel ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/FusionPlan.h"

#include <algorithm>

using namespace memopt;

namespace {

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
  /// The last kernel that it reads at other places than its own points: what is
  /// summed there is not known before that kernel ends.
  int readsAcross = -1;
  /// Where it went when it was merged; itself while it stands.
  int merged;
};

class Fuser {
public:
  Fuser(const StepGraph &graph, const Schedule &schedule,
        const ScheduleReads &reads)
      : graph(graph), schedule(schedule), reads(reads) {}

  FusionPlan run() {
    countReaders();
    kernelOf.resize(schedule.order.size());
    for (int p = 0, e = static_cast<int>(schedule.order.size()); p < e; ++p)
      place(p);
    return collect();
  }

private:
  const StepOp &opAt(int position) const {
    return graph.ops[schedule.order[position].op];
  }
  int find(int kernel) const {
    while (kernels[kernel].merged != kernel)
      kernel = kernels[kernel].merged;
    return kernel;
  }
  bool isReturned(int position, int value) const {
    return schedule.order[position].copy == 0 && graph.values[value].returned;
  }

  /// Readers of each run, and of each run's first result alone where it has
  /// just one.
  void countReaders() {
    readers.assign(schedule.order.size(), 0);
    for (int source : reads.source)
      if (source >= 0)
        ++readers[source];
    for (size_t p = 0; p < schedule.order.size(); ++p)
      for (int v : opAt(static_cast<int>(p)).results)
        readers[p] += isReturned(static_cast<int>(p), v);
  }

  void place(int position) {
    const StepOp &op = opAt(position);
    int host = hostOf(position);
    if (host < 0) {
      host = static_cast<int>(kernels.size());
      int64_t rows =
          op.opClass == OpClass::RowReduction ? op.points / op.rowLength : 0;
      kernels.push_back({op.opClass,
                         isForwardRun(graph, schedule.order[position]),
                         op.points, rows, 0, last, -1, -1, host});
      last = host;
    } else {
      join(host, op);
    }
    kernelOf[position] = host;
    kernels[host].pending += readers[position];
    consume(position, host);
    mergeBackwards(host);
  }

  /// The kernel that the run may join, or -1.
  int hostOf(int position) const {
    int host = -1;
    for (int i = reads.begin[position]; i < reads.begin[position + 1]; ++i)
      if (reads.source[i] >= 0)
        host = std::max(host, find(kernelOf[reads.source[i]]));
    if (host < 0 ||
        kernels[host].forward != isForwardRun(graph, schedule.order[position]))
      return -1;
    const StepOp &op = opAt(position);
    int fromHost = 0;
    bool aligned = true;
    int64_t dying = 0, made = 0;
    for (int i = reads.begin[position]; i < reads.begin[position + 1]; ++i) {
      int source = reads.source[i];
      if (source < 0 || find(kernelOf[source]) != host)
        continue;
      const StepOperand &operand = op.operands[i - reads.begin[position]];
      ++fromHost;
      aligned &= operand.aligned;
      if (readers[source] == 1)
        dying += graph.values[operand.value].bytes;
    }
    if (!aligned || !fits(kernels[host], op, fromHost))
      return -1;
    for (int v : op.results)
      made += graph.values[v].bytes;
    bool stays = host == last;
    return stays || (op.movable && made <= dying) ? host : -1;
  }

  /// Whether the run's class and shape fit the kernel, of which it reads
  /// `fromHost` operands.
  bool fits(const Kernel &kernel, const StepOp &op, int fromHost) const {
    bool onlyReader = kernel.pending == fromHost;
    bool rowwise = kernel.opClass == OpClass::Elementwise ||
                   kernel.opClass == OpClass::RowReduction;
    switch (op.opClass) {
    case OpClass::Elementwise:
      if (kernel.opClass == OpClass::Contraction)
        return onlyReader;
      return rowwise && fitsRows(kernel, op.points, 0, op.rowLength);
    case OpClass::RowReduction:
      return rowwise && fitsRows(kernel, op.points, op.points / op.rowLength,
                                 op.rowLength);
    case OpClass::ColumnReduction:
      return kernel.opClass == OpClass::Elementwise && onlyReader &&
             op.points == kernel.points;
    default:
      return false;
    }
  }

  /// Same points; or the statistics of the kernel's rows; or the full rows of a
  /// kernel that so far only has statistics.
  static bool fitsRows(const Kernel &kernel, int64_t points, int64_t rows,
                       int64_t rowLength) {
    if (rows && kernel.rows && rows != kernel.rows)
      return false;
    if (points == kernel.points || (!rows && points == kernel.rows))
      return true;
    return rowLength > 0 && points / rowLength == kernel.points &&
           (!kernel.rows || kernel.rows == kernel.points);
  }

  void join(int host, const StepOp &op) {
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
      kernel.rows = op.points / op.rowLength;
    }
  }

  /// Takes the run's reads off the kernels that it reads.
  void consume(int position, int host) {
    for (int i = reads.begin[position]; i < reads.begin[position + 1]; ++i) {
      if (reads.source[i] < 0)
        continue;
      int maker = find(kernelOf[reads.source[i]]);
      if (maker == host)
        --kernels[host].pending;
      else if (opAt(position).operands[i - reads.begin[position]].aligned)
        kernels[maker].reader = host;
      else
        kernels[host].readsAcross = std::max(kernels[host].readsAcross, maker);
    }
  }

  /// Merges the kernels before `host` into it while it reads them and they fit.
  void mergeBackwards(int host) {
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
      earlier.merged = host;
    }
  }

  bool mergeable(int before, int host) const {
    const Kernel &a = kernels[before], &b = kernels[host];
    auto rowwise = [](const Kernel &kernel) {
      return kernel.opClass == OpClass::Elementwise ||
             kernel.opClass == OpClass::RowReduction;
    };
    return rowwise(a) && rowwise(b) && a.forward == b.forward &&
           a.points == b.points && (!a.rows || !b.rows || a.rows == b.rows) &&
           (b.readsAcross < 0 || find(b.readsAcross) != before);
  }

  /// Numbers the kernels that stand, in order, and lists their members.
  FusionPlan collect() {
    FusionPlan plan;
    std::vector<int> number(kernels.size(), -1);
    int count = 0;
    for (size_t k = 0; k < kernels.size(); ++k)
      if (kernels[k].merged == static_cast<int>(k))
        number[k] = count++;
    plan.begin.assign(count + 1, 0);
    plan.kernelOf.resize(kernelOf.size());
    for (size_t p = 0; p < kernelOf.size(); ++p) {
      plan.kernelOf[p] = number[find(kernelOf[p])];
      ++plan.begin[plan.kernelOf[p] + 1];
    }
    for (int k = 0; k < count; ++k)
      plan.begin[k + 1] += plan.begin[k];
    plan.members.resize(kernelOf.size());
    std::vector<int> next(plan.begin.begin(), plan.begin.end() - 1);
    for (size_t p = 0; p < kernelOf.size(); ++p)
      plan.members[next[plan.kernelOf[p]]++] = static_cast<int>(p);
    return plan;
  }

  const StepGraph &graph;
  const Schedule &schedule;
  const ScheduleReads &reads;
  std::vector<Kernel> kernels;
  std::vector<int> kernelOf, readers;
  int last = -1;
};

} // namespace

FusionPlan memopt::fuse(const StepGraph &graph, const Schedule &schedule,
                        const ScheduleReads &reads) {
  return Fuser(graph, schedule, reads).run();
}
