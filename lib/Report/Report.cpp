//===- Report.cpp - memopt-report -----------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Picture/Notes.h"
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
    if (format != "table" && format != "json" && format != "svg")
      return emitError(getOperation().getLoc(), "unknown format '")
             << format << "' for memopt-report: table, json or svg";
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    FailureOr<std::string> text =
        format == "svg" ? draw(*step) : describe(*step);
    if (failed(text))
      return failure();
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(file, &error);
    if (!output)
      return emitError(getOperation().getLoc(), "memopt-report: ") << error;
    output->os() << *text;
    output->keep();
    return success();
  }

  FailureOr<std::string> describe(const TrainingStep &step) {
    FailureOr<MemoryReport> report = MemoryReport::compute(step);
    if (failed(report))
      return failure();
    if (format == "json")
      return llvm::formatv("{0:2}\n", report->toJSON()).str();
    std::string text;
    llvm::raw_string_ostream os(text);
    report->printTable(os);
    return text;
  }

  FailureOr<std::string> draw(const TrainingStep &step) {
    func::FuncOp function = step.getFunction();
    FailureOr<Timeline> timeline = traceAsWritten(step);
    if (failed(timeline))
      return failure();
    Picture picture(function.getName(),
                    function->getAttrOfType<DictionaryAttr>(planAttrName));
    picture.after = std::move(*timeline);
    if (failed(readNotes(function, picture)))
      return failure();
    return picture.draw();
  }
};
} // namespace
