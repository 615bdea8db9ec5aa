//===- PrintStepGraph.cpp - memopt-print-step-graph -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/RecomputeCost.h"
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
    if (failed(writeFile(file, text.str())))
      return failure();
    return prices.empty() ? success() : writePrices(built->graph);
  }

  LogicalResult writePrices(const StepGraph &graph) {
    std::string error;
    std::optional<Device> parsed = parseDevice(device.getValue(), error);
    if (!parsed)
      return fail("device=" + device.getValue() + ": " + error);
    std::vector<int64_t> picoseconds = priceOps(graph, *parsed, error);
    if (!error.empty())
      return fail(error);
    std::ostringstream text;
    for (int64_t price : picoseconds)
      text << price << '\n';
    return writeFile(prices, text.str());
  }

  LogicalResult fail(const Twine &message) {
    return emitError(getOperation().getLoc())
           << "memopt-print-step-graph: " << message;
  }

  LogicalResult writeFile(StringRef name, StringRef text) {
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(name, &error);
    if (!output)
      return fail(error);
    output->os() << text;
    output->keep();
    return success();
  }
};
} // namespace
