//===- PrintStepGraph.cpp - memopt-print-step-graph -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/StepGraphText.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

#include <sstream>

namespace memopt {
#define GEN_PASS_DEF_PRINTSTEPGRAPH
#include "MemOpt/Rematerialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct PrintStepGraph : memopt::impl::PrintStepGraphBase<PrintStepGraph> {
  using PrintStepGraphBase::PrintStepGraphBase;

  void runOnOperation() override {
    if (failed(write()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult write() {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    FailureOr<BuiltStepGraph> built = buildStepGraph(*step);
    if (failed(built))
      return failure();
    std::ostringstream text;
    printStepGraph(built->graph, text);
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(file, &error);
    if (!output)
      return getOperation().emitError("memopt-print-step-graph: ") << error;
    output->os() << text.str();
    output->keep();
    return success();
  }
};
} // namespace
