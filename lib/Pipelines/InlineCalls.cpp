//===- InlineCalls.cpp - memopt-inline-calls ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Pipelines/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace memopt {
#define GEN_PASS_DEF_INLINECALLS
#include "MemOpt/Pipelines/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
/// Inlines into one function after another.
class Inliner {
public:
  void inlineInto(func::FuncOp caller) {
    callers.assign({caller});
    inlineInto(caller.getOperation());
  }
  /// The functions whose bodies were used, in the order of first use.
  ArrayRef<func::FuncOp> getInlined() const { return inlined.getArrayRef(); }

private:
  void inlineInto(Operation *op) {
    SmallVector<func::CallOp> calls;
    op->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || !callee.getBody().hasOneBlock() || callee.getNoInline() ||
          call.getNoInline() || llvm::is_contained(callers, callee))
        continue;
      callers.push_back(callee);
      replace(call, callee);
      callers.pop_back();
      inlined.insert(callee);
    }
  }

  /// Clones the body of `callee` before `call` and uses its results instead.
  void replace(func::CallOp call, func::FuncOp callee) {
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    SmallVector<Operation *> clones;
    for (Operation &op : body.without_terminator())
      clones.push_back(builder.clone(op, mapping));
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
    for (Operation *clone : clones)
      inlineInto(clone);
  }

  SymbolTableCollection symbols;
  /// The functions in whose bodies the current call stands, outermost first.
  SmallVector<func::FuncOp> callers;
  llvm::SetVector<func::FuncOp> inlined;
};

struct InlineCalls : memopt::impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Inliner inliner;
    for (auto caller : module.getOps<func::FuncOp>())
      if (function.empty() ? !caller.isPrivate() : caller.getName() == function)
        inliner.inlineInto(caller);
    // Until nothing changes, since a function may be called from another of
    // them.
    bool changed = true;
    SmallVector<func::FuncOp> callees(inliner.getInlined());
    while (changed) {
      changed = false;
      llvm::erase_if(callees, [&](func::FuncOp callee) {
        if (!callee.isPrivate() ||
            !SymbolTable::symbolKnownUseEmpty(callee, module))
          return false;
        callee.erase();
        return changed = true;
      });
    }
  }
};
} // namespace
