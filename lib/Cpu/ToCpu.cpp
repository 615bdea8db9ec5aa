//===- ToCpu.cpp - memopt-to-cpu ------------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertToLLVM.h"
#include "MathFunctions.h"
#include "MemOpt/Cpu/Passes.h"
#include "StepBuilder.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

namespace memopt {
#define GEN_PASS_DEF_TOCPU
#include "MemOpt/Cpu/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// The planned step of the module; fails with a diagnostic where there is none
/// or more than one.
static FailureOr<func::FuncOp> findStep(ModuleOp module) {
  func::FuncOp step;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("memopt.arena_bytes"))
      continue;
    if (step)
      return function.emitError("memopt-to-cpu: a module may have one planned "
                                "step, '")
             << step.getName() << "' is another";
    step = function;
  }
  if (!step)
    return module.emitError(
        "memopt-to-cpu: no function has the attribute "
        "memopt.arena_bytes: put memopt-plan-memory before");
  return step;
}

static void addDescription(ModuleOp code, Location loc, std::string text) {
  OpBuilder b = OpBuilder::atBlockBegin(code.getBody());
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                         LLVM::Linkage::External, "memopt_step_description",
                         b.getStringAttr(text));
}

namespace {
struct ToCpu : memopt::impl::ToCpuBase<ToCpu> {
  using ToCpuBase::ToCpuBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ToCpuBase::getDependentDialects(registry);
    registerLLVMConversions(registry);
    // For bodies that upstream bufferizes.
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }

  /// The code is written into a module of its own, so that a failure leaves the
  /// step as it was.
  LogicalResult convert() {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> step = findStep(module);
    if (failed(step))
      return failure();
    FailureOr<StepGlobals> globals = StepGlobals::collect(*step);
    if (failed(globals))
      return failure();
    FailureOr<std::string> description = describeStep(*step, *globals);
    if (failed(description))
      return failure();
    OwningOpRef<ModuleOp> written = ModuleOp::create(module.getLoc());
    CodeModule code(*written);
    if (failed(StepBuilder(code, *step, *globals).build()))
      return failure();
    expandMathFunctions(*written);
    addDescription(*written, step->getLoc(), *description);
    // Run on what replaces the module's content, since a nested pipeline may
    // run on nothing else.
    module.getBodyRegion().takeBody(written->getBodyRegion());
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildConvertToLLVM(pipeline);
    return runPipeline(pipeline, module);
  }
};
} // namespace
