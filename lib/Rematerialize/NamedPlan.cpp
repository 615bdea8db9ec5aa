//===- NamedPlan.cpp - a plan that was made elsewhere ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedPlan.h"
#include "MemOpt/Planning/Recomputation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace memopt;

static InFlightDiagnostic fail(Location location) {
  return emitError(location) << "memopt-rematerialize: ";
}

//===----------------------------------------------------------------------===//
// Files of names
//===----------------------------------------------------------------------===//

static FailureOr<std::vector<std::string>>
readNames(ModuleOp module, StringRef option, StringRef given) {
  Location location = module.getLoc();
  StringRef path = given;
  if (!path.consume_front("@"))
    return fail(location) << option << "=" << given
                          << " is no file of names: write " << option
                          << "=@FILE";
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return fail(location) << option << "=" << given << ": "
                          << file.getError().message();
  std::vector<std::string> names;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef name = line.split('#').first.trim(); !name.empty())
      names.push_back(name.str());
  if (names.empty())
    return fail(location) << option << "=" << given << " names nothing";
  return names;
}

FailureOr<NamedPlan> NamedPlan::read(ModuleOp module, StringRef keep,
                                     StringRef backwardOrder) {
  NamedPlan plan;
  FailureOr<std::vector<std::string>> kept = readNames(module, "keep", keep);
  if (failed(kept))
    return failure();
  plan.kept = std::move(*kept);
  if (backwardOrder.empty())
    return plan;
  FailureOr<std::vector<std::string>> order =
      readNames(module, "backward-order", backwardOrder);
  if (failed(order))
    return failure();
  plan.order = std::move(*order);
  return plan;
}

//===----------------------------------------------------------------------===//
// From names to values and ops
//===----------------------------------------------------------------------===//

namespace {
/// What a name stands for in a step.
struct Named {
  SmallVector<int> values; // that the last op of the name makes or shows
  SmallVector<int> ops;    // all ops of the name, in program order
};

class NameTable {
public:
  NameTable(Block &body, const BuiltStepGraph &built) {
    for (Operation &op : body.without_terminator())
      if (auto location = dyn_cast<NameLoc>(op.getLoc()))
        add(op, location.getName().getValue(), built);
    // `%12 linalg.matmul`: as a plan is printed.
    for (size_t v = 0; v < built.graph.values.size(); ++v) {
      StringRef printed =
          StringRef(built.graph.values[v].name).split(' ').first;
      auto [entry, isNew] = names.try_emplace(printed);
      if (!isNew)
        continue;
      entry->second.values.push_back(int(v));
      if (int op = built.graph.values[v].op; op >= 0)
        entry->second.ops.push_back(op);
    }
  }

  const Named *find(StringRef name) const {
    auto entry = names.find(name);
    return entry == names.end() ? nullptr : &entry->second;
  }

private:
  void add(Operation &op, StringRef name, const BuiltStepGraph &built) {
    Named &named = names[name];
    if (auto entry = built.opIndex.find(&op); entry != built.opIndex.end())
      named.ops.push_back(entry->second);
    SmallVector<int> values;
    for (Value result : op.getResults())
      if (int value = built.lookup(result); value >= 0)
        values.push_back(value);
    // Constants and inits before the op have its location, too.
    if (!values.empty())
      named.values = std::move(values);
  }

  llvm::StringMap<Named> names; // only looked up, never iterated
};
} // namespace

/// One flag a value. Names that stand for nothing of the forward are reported.
static FailureOr<std::vector<char>> flagKept(const NamedPlan &plan,
                                             const NameTable &table,
                                             const StepGraph &graph,
                                             Location location) {
  std::vector<char> kept(graph.values.size(), 0);
  SmallVector<StringRef> unknown;
  for (StringRef name : plan.kept) {
    bool isForward = false;
    if (const Named *named = table.find(name))
      for (int value : named->values)
        if (graph.values[value].op < graph.forwardEnd)
          kept[value] = isForward = true;
    if (!isForward)
      unknown.push_back(name);
  }
  if (unknown.size() == plan.kept.size())
    return fail(location) << "keep=: none of the " << plan.kept.size()
                          << " names is a value of the forward";
  if (!unknown.empty()) {
    InFlightDiagnostic warning = emitWarning(location);
    warning << "memopt-rematerialize: keep=: " << unknown.size() << " of "
            << plan.kept.size() << " names are no values of the forward: ";
    llvm::interleaveComma(unknown, warning);
  }
  return kept;
}

//===----------------------------------------------------------------------===//
// The order of another planner
//===----------------------------------------------------------------------===//

namespace {
/// Runs the backward in a given order, and what it needs as it needs it.
class OrderedPlacement {
public:
  OrderedPlacement(const StepGraph &graph, Schedule &schedule)
      : graph(graph), schedule(schedule), done(graph.ops.size(), 0),
        needed(graph.ops.size(), 0) {
    for (int op = 0; op < graph.forwardEnd; ++op)
      schedule.order.push_back({op, 0});
    for (int op = opCount() - 1; op >= 0; --op)
      if (op >= graph.forwardEnd || needed[op])
        for (const StepOperand &operand : graph.ops[op].operands)
          if (int maker = graph.values[operand.value].op;
              maker >= 0 && !isKept(operand.value))
            needed[maker] = 1;
  }

  /// Runs an op, its operands first, unless it ran or nobody needs it again.
  void run(int first) {
    if (done[first] || (first < graph.forwardEnd && !needed[first]))
      return;
    runOperandsFirst(
        graph, first, waiting, [&](int value) { return isThere(value); },
        [&](int op) {
          done[op] = 1;
          schedule.order.push_back({op, op < graph.forwardEnd ? 1 : 0});
        });
  }

  int opCount() const { return static_cast<int>(graph.ops.size()); }

private:
  bool isKept(int value) const {
    return graph.values[value].op < graph.forwardEnd && schedule.kept[value];
  }
  bool isThere(int value) const {
    int maker = graph.values[value].op;
    return maker < 0 || done[maker] || isKept(value);
  }

  const StepGraph &graph;
  Schedule &schedule;
  WaitingOps waiting;
  std::vector<char> done;   // in the backward
  std::vector<char> needed; // by the backward, directly or to make it again
};
} // namespace

static Schedule placeInOrder(const NamedPlan &plan, const NameTable &table,
                             const StepGraph &graph, std::vector<char> kept) {
  Schedule schedule;
  schedule.kept = std::move(kept);
  OrderedPlacement placement(graph, schedule);
  for (StringRef name : plan.order)
    if (const Named *named = table.find(name))
      for (int op : named->ops)
        placement.run(op);
  for (int op = graph.forwardEnd; op < placement.opCount(); ++op)
    placement.run(op);
  return schedule;
}

FailureOr<Schedule> NamedPlan::place(const TrainingStep &step,
                                     const BuiltStepGraph &built,
                                     const Schedule &base) const {
  const StepGraph &graph = built.graph;
  NameTable table(step.getBody(), built);
  FailureOr<std::vector<char>> kept =
      flagKept(*this, table, graph, func::FuncOp(step.getFunction()).getLoc());
  if (failed(kept))
    return failure();
  RecomputationPlacer placer(graph, base);
  if (order.empty())
    return placer.place({*kept, std::vector<char>(graph.values.size(), 0)});
  for (size_t op = graph.forwardEnd; op < graph.ops.size(); ++op)
    if (!graph.ops[op].movable)
      return fail(built.ops[op]->getLoc())
             << "backward-order= needs a backward that may be reordered; this '"
             << built.ops[op]->getName() << "' may not move";
  for (size_t value = 0; value < kept->size(); ++value)
    (*kept)[value] |= placer.isAlwaysKept(static_cast<int>(value));
  return placeInOrder(*this, table, graph, std::move(*kept));
}
