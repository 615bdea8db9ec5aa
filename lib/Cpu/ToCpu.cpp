//===- ToCpu.cpp - memopt-to-cpu ------------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuStep.h"
#include "LowerAssertions.h"
#include "MemOpt/Codegen/ConvertToLLVM.h"
#include "MemOpt/Codegen/MathFunctions.h"
#include "MemOpt/Cpu/Passes.h"
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
    FailureOr<func::FuncOp> step = findPlannedStep(module, "memopt-to-cpu");
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
    if (failed(CpuStep(code, *step, *globals).build()))
      return failure();
    callWhereAssertionsFail(code);
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
