//===- ToNvvm.cpp - the pass memopt-to-nvvm -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseLayouts.h"
#include "DeviceCode.h"
#include "GpuStep.h"
#include "JoinKernels.h"
#include "MemOpt/Codegen/ConvertToLLVM.h"
#include "MemOpt/Codegen/MathFunctions.h"
#include "MemOpt/Gpu/Passes.h"
#include "Serialize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringSwitch.h"

namespace memopt {
#define GEN_PASS_DEF_TONVVM
#include "MemOpt/Gpu/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

static void describeTraffic(const GpuLaunch &launch,
                            llvm::json::OStream &json) {
  json.attribute("least_read", launch.traffic.leastRead);
  json.attribute("least_written", launch.traffic.leastWritten);
  json.attribute("read", launch.traffic.read);
  json.attribute("written", launch.traffic.written);
}

namespace {
struct ToNvvm : memopt::impl::ToNvvmBase<ToNvvm> {
  using ToNvvmBase::ToNvvmBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ToNvvmBase::getDependentDialects(registry);
    registerLLVMConversions(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }

private:
  FailureOr<GpuImageOptions> getImageOptions() {
    const GpuChip *known = findChip(chip);
    if (!known) {
      InFlightDiagnostic error =
          getOperation().emitError(
              "memopt-to-nvvm: there is no code for chip '")
          << chip << "'; known are";
      for (const GpuChip &other : getChips())
        error << " " << other.name;
      return error;
    }
    auto kind = llvm::StringSwitch<std::optional<GpuFormat>>(format)
                    .Case("isa", GpuFormat::Isa)
                    .Case("bin", GpuFormat::Bin)
                    .Case("fatbin", GpuFormat::Fatbin)
                    .Case("llvm", GpuFormat::Llvm)
                    .Default(std::nullopt);
    if (!kind)
      return getOperation().emitError("memopt-to-nvvm: format is '")
             << format << "'; it may be isa, bin, fatbin or llvm";
    if (optLevel > 3)
      return getOperation().emitError("memopt-to-nvvm: opt-level is ")
             << unsigned(optLevel) << "; it may be 0, 1, 2 or 3";
    if (gatherBytes < 0)
      return getOperation().emitError("memopt-to-nvvm: gather-bytes is ")
             << gatherBytes.getValue() << "; it may be 0 or more";
    return GpuImageOptions{*known, *kind, int(optLevel), toolkit};
  }

  /// The places are those of the arena as it was planned.
  FailureOr<std::string> describe(func::FuncOp step, const StepGlobals &globals,
                                  const GpuModule &gpu, int64_t globalsOffset,
                                  const WorkspacePlan &workspace) {
    return describeStep(step, globals, [&](llvm::json::OStream &json) {
      json.attribute("target", "nvvm");
      json.attribute("chip", gpu.chip.name);
      json.attribute("format", format);
      json.attribute("cuda_graph", bool(cudaGraph));
      if (globals.getBytes())
        json.attribute("globals_offset", globalsOffset);
      json.attributeObject("workspace", [&] {
        json.attribute("most", workspace.getMost());
        json.attribute("added",
                       workspace.getEnd() - workspace.getPlannedBytes());
      });
      json.attributeArray("products", [&] {
        for (const GpuProductCall &product : gpu.products)
          json.object([&] {
            json.attribute("shape", product.shape);
            json.attribute("calls", product.calls);
          });
      });
      json.attributeArray("launches", [&] {
        for (const GpuLaunch &launch : gpu.launches)
          json.object([&] {
            json.attribute("kernel", launch.kernel);
            json.attribute("kind", launch.kind);
            describeTraffic(launch, json);
          });
      });
    });
  }

  void addImage(ModuleOp host, Location loc, std::string image) {
    OpBuilder b = OpBuilder::atBlockBegin(host.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), image.size());
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::External, "memopt_gpu_image",
                           b.getStringAttr(image), /*alignment=*/64);
  }

  /// All is done on copies and in modules of its own, so that a failure leaves
  /// the step as it was.
  LogicalResult convert() {
    ModuleOp module = getOperation();
    FailureOr<GpuImageOptions> options = getImageOptions();
    if (failed(options))
      return failure();
    OwningOpRef<ModuleOp> planned = module.clone();
    FailureOr<func::FuncOp> step = findPlannedStep(*planned, "memopt-to-nvvm");
    if (failed(step))
      return failure();
    chooseLayouts(*step);
    joinKernels(*step, options->chip);
    FailureOr<StepGlobals> globals = StepGlobals::collect(*step);
    if (failed(globals) || failed(describeStep(*step, *globals)))
      return failure();
    OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
    OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
    CodeModule hostCode(*host), deviceCode(*device, globalSpace);
    GpuModule gpu{deviceCode, hostCode, options->chip, tf32, gatherBytes};
    GpuStep builder(gpu, *step, *globals);
    if (failed(builder.build()) || failed(convertDeviceCode(gpu)))
      return failure();
    FailureOr<std::string> image = makeGpuImage(*device, *options);
    if (failed(image))
      return failure();
    builder.setImageBytes(image->size());
    addImage(*host, step->getLoc(), *image);
    int64_t globalsOffset = builder.getGlobalsOffset();
    (*step)->setAttr("memopt.arena_bytes",
                     IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                      builder.getArenaBytes()));
    addDescription(
        *host, step->getLoc(),
        *describe(*step, *globals, gpu, globalsOffset, builder.getWorkspace()));
    // Run on what replaces the module's content, since a nested pipeline may
    // run on nothing else.
    module.getBodyRegion().takeBody(host->getBodyRegion());
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildConvertToLLVM(pipeline, /*withLibrary=*/false);
    return runPipeline(pipeline, module);
  }
};
} // namespace
