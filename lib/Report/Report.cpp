//===- Report.cpp - memopt-report -----------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Report/MemoryReport.h"
#include "MemOpt/Report/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace memopt {
#define GEN_PASS_DEF_REPORT
#include "MemOpt/Report/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct ReportPass : memopt::impl::ReportBase<ReportPass> {
  using ReportBase::ReportBase;

  void runOnOperation() override {
    if (failed(write()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult write() {
    if (format != "table" && format != "json")
      return emitError(getOperation().getLoc(), "unknown format '")
             << format << "' for memopt-report: table or json";
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    FailureOr<MemoryReport> report = MemoryReport::compute(*step);
    if (failed(report))
      return failure();
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(file, &error);
    if (!output)
      return emitError(getOperation().getLoc(), "memopt-report: ") << error;
    if (format == "json")
      output->os() << llvm::formatv("{0:2}\n", report->toJSON());
    else
      report->printTable(output->os());
    output->keep();
    return success();
  }
};
} // namespace
