//===- Plan.cpp - which raised ops replace which tensors ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Cone.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace memopt::raising;

unsigned Plan::addGroup(std::string what) {
  groups.push_back({std::move(what)});
  return groups.size() - 1;
}

void Plan::reject(unsigned group, Operation *op, const Twine &reason) {
  if (groups[group].rejected)
    return;
  groups[group].rejected = true;
  op->emitRemark() << groups[group].what << " is left as it is: " << reason;
}

/// The ops that something still reads once the replacements are made. One pass
/// against program order: a replaced tensor that is read makes its new op's
/// operands read, instead of the op that made it.
llvm::DenseSet<Operation *> Plan::computeLive() const {
  llvm::DenseMap<Value, const Replacement *> replacedBy;
  for (const Replacement &replacement : replacements)
    if (!groups[replacement.group].rejected)
      for (Value value : replacement.replaced)
        replacedBy[value] = &replacement;
  llvm::DenseSet<Operation *> live;
  llvm::DenseSet<Value> read;
  for (Operation &op : llvm::reverse(graph.getBlock())) {
    bool isLive =
        !isMemoryEffectFree(&op) || op.hasTrait<OpTrait::IsTerminator>();
    for (Value result : op.getResults()) {
      if (!read.contains(result))
        continue;
      auto it = replacedBy.find(result);
      if (it == replacedBy.end())
        isLive = true;
      else
        read.insert_range(it->second->operands);
    }
    if (!isLive)
      continue;
    live.insert(&op);
    read.insert_range(collectReads(&op));
  }
  return live;
}

/// True for forward ops that compute something: not reshapes, constants, nor
/// casts and broadcasts, which any reader repeats for free.
bool Plan::isWork(Operation *op) const {
  if (isReshape(op))
    return false;
  return llvm::any_of(op->getResults(), [&](Value result) {
    NodeId id = graph.lookup(result);
    return id != noNode && forward.test(id) &&
           graph[id].kind != NodeKind::Constant &&
           graph[id].kind != NodeKind::Leaf && !graph[id].isParameter &&
           graph[id].op.code != Opcode::Copy;
  });
}

bool Plan::rejectLeaks() {
  llvm::DenseSet<Operation *> live = computeLive();
  bool any = false;
  for (const Replacement &replacement : replacements) {
    if (groups[replacement.group].rejected)
      continue;
    // The last one is what is read; those before it are only alive for it.
    for (Operation *op : llvm::reverse(replacement.work))
      if (live.contains(op) && isWork(op)) {
        reject(replacement.group, op,
               "this value of it is read by an op that is no part of it");
        any = true;
        break;
      }
  }
  return any;
}

/// All ops are created, and all bodies cloned, before the first use is
/// replaced: what they read is then the original step, and is replaced with the
/// rest.
void Plan::apply() {
  while (rejectLeaks()) {
  }
  SmallVector<std::pair<Value, Value>> replaced;
  for (const Replacement &replacement : replacements)
    if (!groups[replacement.group].rejected)
      for (auto [old, value] :
           llvm::zip_equal(replacement.replaced, replacement.create()))
        replaced.emplace_back(old, value);
  for (auto [old, value] : replaced)
    old.replaceAllUsesWith(value);
  eraseDead();
}

/// Erases the ops behind the replaced tensors that nothing reads, and no other.
void Plan::eraseDead() {
  llvm::SetVector<Operation *> pending;
  for (const Replacement &replacement : replacements)
    if (!groups[replacement.group].rejected)
      for (Value value : replacement.replaced)
        pending.insert(value.getDefiningOp());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value value : collectReads(op))
      if (Operation *def = value.getDefiningOp();
          def && def->getBlock() == &graph.getBlock())
        pending.insert(def);
    pending.remove(op);
    op->erase();
  }
}
