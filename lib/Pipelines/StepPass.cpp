//===- StepPass.cpp - a pass on the training step only --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepPass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace memopt;

namespace {
struct StepPass : PassWrapper<StepPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepPass)

  StepPass(const TrainingStepOptions &options, std::unique_ptr<Pass> pass)
      : options(options), pipeline(func::FuncOp::getOperationName()) {
    pipeline.addPass(std::move(pass));
  }

  StringRef getName() const override { return "StepPass"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    FailureOr<TrainingStep> step = TrainingStep::find(getOperation(), options);
    if (failed(step) || failed(runPipeline(pipeline, step->getFunction())))
      signalPassFailure();
  }

  TrainingStepOptions options;
  OpPassManager pipeline;
};
} // namespace

std::unique_ptr<Pass> memopt::createStepPass(const TrainingStepOptions &options,
                                             std::unique_ptr<Pass> pass) {
  return std::make_unique<StepPass>(options, std::move(pass));
}
