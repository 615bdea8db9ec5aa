//===- Bufferize.cpp - memopt-bufferize ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Buffers/Bufferize.h"
#include "Donate.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Buffers/Passes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace memopt {
#define GEN_PASS_DEF_BUFFERIZE
#include "MemOpt/Buffers/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// A global's tensor is its buffer: nobody may read it once the global is
/// overwritten.
static LogicalResult checkGlobals(Block &body) {
  for (auto load : body.getOps<ml_program::GlobalLoadOp>())
    for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
      auto store = dyn_cast<ml_program::GlobalStoreOp>(op);
      if (!store || store.getGlobal() != load.getGlobal())
        continue;
      for (Operation *user : load->getUsers())
        if (store->isBeforeInBlock(user)) {
          InFlightDiagnostic diag =
              user->emitError("memopt-bufferize: '")
              << user->getName()
              << "' reads a global's value after the global is overwritten";
          diag.attachNote(store.getLoc()) << "it is overwritten here";
          return diag;
        }
      break;
    }
  return success();
}

/// A store is a copy into the global's buffer. Upstream's own model takes it
/// for an op that writes its operand.
static void lowerStores(Block &body) {
  for (auto store :
       llvm::make_early_inc_range(body.getOps<ml_program::GlobalStoreOp>())) {
    OpBuilder builder(store);
    auto type = cast<RankedTensorType>(store.getValue().getType());
    Value global = memref::GetGlobalOp::create(
        builder, store.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()),
        store.getGlobal().getLeafReference());
    bufferization::MaterializeInDestinationOp::create(
        builder, store.getLoc(), TypeRange(), store.getValue(), global,
        /*restrict=*/true, /*writable=*/true);
    store.erase();
  }
}

namespace {
struct Bufferize : memopt::impl::BufferizeBase<Bufferize> {
  using BufferizeBase::BufferizeBase;

  void runOnOperation() override {
    if (failed(bufferize()))
      signalPassFailure();
  }

  LogicalResult bufferize() {
    FailureOr<func::FuncOp> step = find();
    if (failed(step) || failed(check(*step)) ||
        failed(checkGlobals(step->front())))
      return failure();
    lowerStores(step->front());
    Builder builder(&getContext());
    SmallVector<int64_t> taken = updateInPlace(*step, donate);
    if (!taken.empty())
      (*step)->setAttr(donatedAttrName, builder.getI64ArrayAttr(taken));
    for (unsigned i = 0; i < step->getNumArguments(); ++i)
      step->setArgAttr(i,
                       bufferization::BufferizationDialect::kWritableAttrName,
                       builder.getBoolAttr(llvm::is_contained(taken, i)));
    return runOneShot(*step);
  }

  FailureOr<func::FuncOp> find() {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kernelsAttrName)) {
        if (function->hasAttr(donatedAttrName) ||
            llvm::any_of(function.getArgumentTypes(),
                         llvm::IsaPred<BaseMemRefType>))
          return emitError(function.getLoc())
                 << "memopt-bufferize: the step is on buffers already";
        return function;
      }
    return emitError(getOperation().getLoc())
           << "memopt-bufferize: no function has the attribute '"
           << kernelsAttrName << "': put memopt-form-kernels before";
  }

  LogicalResult check(func::FuncOp step) {
    auto fail = [&] {
      return emitError(step.getLoc()) << "memopt-bufferize: ";
    };
    for (int64_t number : donate) {
      if (number < 0 || number >= step.getNumArguments())
        return fail() << "donate=" << number
                      << " is out of range: the step has "
                      << step.getNumArguments() << " arguments";
      if (!isa<RankedTensorType>(step.getArgument(number).getType()))
        return fail() << "donate=" << number << " is no tensor";
    }
    for (auto [i, type] : llvm::enumerate(step.getResultTypes()))
      if (!isa<RankedTensorType>(type))
        return fail() << "result " << i << " is " << type
                      << ": only tensors can lie in an arena";
    return success();
  }

  LogicalResult runOneShot(func::FuncOp step) {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    // Bodies of kernels stay on tensors, and other functions are no business of
    // ours.
    Operation *function = step;
    options.opFilter.denyOperation([function](Operation *op) {
      return !isa<ModuleOp, ml_program::GlobalOp>(op) && op != function &&
             op->getParentOp() != function;
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        state)))
      return failure();
    bufferization::removeBufferizationAttributesInModule(getOperation());
    return success();
  }
};
} // namespace
