//===- RowPasses.cpp - which pass over a row does what --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/RowPasses.h"
#include "MemOpt/Codegen/KernelCode.h"
#include "MemOpt/Codegen/Memory.h"

using namespace mlir;
using namespace memopt;

/// The depth of a reduction's values: of what its inits and updates read.
static int getDepth(const ProgramReduction &reduction, ArrayRef<int> depths) {
  int depth = 0;
  for (int node : reduction.inits)
    depth = std::max(depth, depths[node]);
  for (int node : reduction.updates)
    depth = std::max(depth, depths[node]);
  return depth;
}

SmallVector<int> memopt::getDepths(const KernelProgram &program) {
  SmallVector<int> depths(program.nodes.size(), 0);
  for (auto [i, node] : llvm::enumerate(program.nodes)) {
    for (int operand : node.operands)
      depths[i] = std::max(depths[i], depths[operand]);
    if (node.kind == NodeKind::Reduced)
      depths[i] = 1 + getDepth(program.reductions[node.reduction], depths);
  }
  return depths;
}

namespace {
class Planner {
public:
  explicit Planner(const KernelProgram &program)
      : program(program), depths(getDepths(program)) {}

  RowPlan run() {
    uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
    plan.columns = all & ~((uint64_t(1) << program.rowLoops) - 1);
    if (!program.reductions.empty())
      plan.columns = program.reductions[0].loops;
    for (const ProgramReduction &reduction : program.reductions)
      if (reduction.loops >> (program.sizes.size() - 1) & 1)
        plan.columns = reduction.loops;
    findOthers();
    addReductions();
    addStores();
    addAsserts();
    for (RowPass &pass : plan.passes)
      addRoots(pass);
    keepCostly();
    return std::move(plan);
  }

private:
  RowPass &getPass(int depth) {
    while (int(plan.passes.size()) <= depth)
      plan.passes.emplace_back();
    return plan.passes[depth];
  }

  /// Nodes that read sums over other loops than the columns.
  void findOthers() {
    others.resize(program.nodes.size());
    for (auto [i, node] : llvm::enumerate(program.nodes)) {
      others[i] = node.kind == NodeKind::Reduced &&
                  program.reductions[node.reduction].loops != plan.columns;
      for (int operand : node.operands)
        others[i] = others[i] || others[operand];
    }
  }

  void addReductions() {
    for (auto [number, reduction] : llvm::enumerate(program.reductions)) {
      if (reduction.loops != plan.columns)
        continue;
      RowPass &pass = getPass(getDepth(reduction, depths));
      pass.reductions.push_back(number);
      bool follows = false;
      for (unsigned i = 0; i < reduction.updates.size(); ++i) {
        bool follower = program.getFollowed(reduction, i).has_value();
        follows |= follower;
        pass.inAnyOrder &= follower || program.getStep(reduction, i);
      }
      if (follows)
        pass.followers.push_back(number);
    }
  }

  void addStores() {
    for (const ProgramStore &store : program.stores)
      if (others[store.node])
        plan.otherStores.push_back(&store);
      else if (IndexMath::getLoops(store.index) & plan.columns)
        getPass(depths[store.node]).stores.push_back(&store);
      else
        plan.rowStores.push_back(&store);
  }

  void addAsserts() {
    for (const ProgramAssert &check : program.asserts)
      getPass(depths[check.condition]).asserts.push_back(&check);
  }

  void addRoots(RowPass &pass) {
    for (int number : pass.reductions) {
      const ProgramReduction &reduction = program.reductions[number];
      for (auto [i, update] : llvm::enumerate(reduction.updates)) {
        auto step = program.getStep(reduction, i);
        pass.roots.push_back(step ? step->value : update);
      }
    }
    for (const ProgramStore *store : pass.stores)
      pass.roots.push_back(store->node);
    for (const ProgramAssert *check : pass.asserts)
      pass.roots.push_back(check->condition);
  }

  /// The nodes at points that the pass computes, those in `cut` being there.
  llvm::DenseSet<int> getCone(const RowPass &pass,
                              const llvm::DenseSet<int> &cut) {
    llvm::DenseSet<int> cone;
    SmallVector<int> work(pass.roots);
    while (!work.empty()) {
      int node = work.pop_back_val();
      if (!(program.nodes[node].loops & plan.columns) ||
          !cone.insert(node).second || cut.contains(node))
        continue;
      work.append(program.nodes[node].operands.begin(),
                  program.nodes[node].operands.end());
    }
    return cone;
  }

  int64_t getRowBytes(int node) const {
    return getCount(program, getLoopList(plan.columns)) *
           getElementBytes(program.nodes[node].type);
  }

  void keepCostly() {
    constexpr int64_t limit = 64 << 10;
    int64_t bytes = 0;
    llvm::DenseSet<int> kept;
    for (size_t p = 0; p < plan.passes.size(); ++p) {
      llvm::DenseSet<int> cone = getCone(plan.passes[p], kept);
      SmallVector<int> fresh;
      for (int node = 0, e = program.nodes.size(); node < e; ++node) {
        if (!cone.contains(node))
          continue;
        if (kept.contains(node))
          plan.passes[p].loaded.push_back(node);
        else if (isCostly(program.nodes[node]) &&
                 isWantedLater(node, p, kept) &&
                 bytes + getRowBytes(node) <= limit) {
          bytes += getRowBytes(node);
          fresh.push_back(node);
        }
      }
      plan.passes[p].saved = fresh;
      kept.insert(fresh.begin(), fresh.end());
      plan.kept.append(fresh);
    }
  }

  bool isWantedLater(int node, size_t pass, const llvm::DenseSet<int> &kept) {
    for (size_t later = pass + 1; later < plan.passes.size(); ++later)
      if (getCone(plan.passes[later], kept).contains(node))
        return true;
    return false;
  }

  const KernelProgram &program;
  SmallVector<int> depths;
  std::vector<bool> others;
  RowPlan plan;
};
} // namespace

RowPlan memopt::planPasses(const KernelProgram &program) {
  return Planner(program).run();
}
