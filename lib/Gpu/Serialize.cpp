//===- Serialize.cpp - kernels as bytes -----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serialize.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace memopt;

namespace {
/// One chip's way from the LLVM dialect to optimized LLVM IR and PTX.
class Serializer : public LLVM::ModuleToObject {
public:
  Serializer(ModuleOp module, const GpuChip &chip, int optLevel)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", chip.name, chip.features,
                       optLevel) {}

  /// PTX, or bitcode.
  FailureOr<std::string> make(bool asPtx) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> code = translateToLLVMIR(context);
    if (!code)
      return getOperation().emitError("the kernels have no LLVM IR");
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError("this LLVM has no NVPTX target");
    setDataLayoutAndTriple(*code);
    if (failed(optimizeModule(*code, optLevel)))
      return failure();
    if (asPtx) {
      FailureOr<SmallString<0>> text = translateModuleToISA(
          *code, **machine, [&] { return getOperation().emitError(); });
      if (failed(text))
        return failure();
      return text->str().str();
    }
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    llvm::WriteBitcodeToFile(*code, os);
    return bytes;
  }
};
} // namespace

static void initializeTarget() {
  static bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
}

/// Cubins for all chips, and PTX that drivers compile for later ones.
static FailureOr<std::string> makeFatbin(ModuleOp device,
                                         const GpuImageOptions &options) {
  std::vector<FatbinPart> parts;
  for (const GpuChip &chip : getChips()) {
    FailureOr<std::string> ptx =
        Serializer(device, chip, options.optLevel).make(/*asPtx=*/true);
    if (failed(ptx))
      return failure();
    FailureOr<std::string> cubin =
        assemble(device.getLoc(), *ptx, options, chip);
    if (failed(cubin))
      return failure();
    parts.push_back({chip, /*isPtx=*/false, *cubin});
    if (&chip == &getChips().back())
      parts.push_back({chip, /*isPtx=*/true, *ptx});
  }
  return joinFatbin(device.getLoc(), parts, options);
}

FailureOr<std::string> memopt::makeGpuImage(ModuleOp device,
                                            const GpuImageOptions &options) {
  initializeTarget();
  if (options.format == GpuFormat::Fatbin)
    return makeFatbin(device, options);
  bool asPtx = options.format != GpuFormat::Llvm;
  FailureOr<std::string> code =
      Serializer(device, options.chip, options.optLevel).make(asPtx);
  if (failed(code) || options.format != GpuFormat::Bin) {
    // The driver reads PTX up to a null byte.
    if (succeeded(code) && asPtx)
      code->push_back('\0');
    return code;
  }
  return assemble(device.getLoc(), *code, options, options.chip);
}
