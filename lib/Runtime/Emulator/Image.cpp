//===- Image.cpp - device code, compiled for the host ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "DeviceMemory.h"
#include "KernelCache.h"
#include "Rewrite.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>

using namespace memopt::emulator;
using namespace llvm;

Image::Image() = default;
Image::~Image() = default;

static Error makeError(const Twine &text) {
  return createStringError(std::errc::invalid_argument, text.str().c_str());
}

static Expected<std::unique_ptr<Module>> parse(StringRef bitcode,
                                               LLVMContext &context) {
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "image"), context);
  if (!module)
    return makeError("the image is no LLVM bitcode (" +
                     toString(module.takeError()) +
                     "): the emulator takes format=llvm");
  if (!(*module)->getTargetTriple().isNVPTX())
    return makeError("the image is for " + (*module)->getTargetTriple().str() +
                     ", not for nvptx64");
  return module;
}

static Expected<orc::JITTargetMachineBuilder> describeHost() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  // These round subnormal numbers to 0, which no GPU does.
  host->addFeatures({"-avx512bf16", "-avxneconvert", "-amx-bf16"});
  host->setCodeGenOptLevel(CodeGenOptLevel::Default);
  return host;
}

/// A function that reads a kernel's arguments from an array of pointers to
/// them, as cuLaunchKernel does.
static void addEntry(Function &kernel) {
  Module &module = *kernel.getParent();
  IRBuilder<> b(module.getContext());
  auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage,
                                 "memopt.entry." + kernel.getName(), module);
  b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", entry));
  SmallVector<Value *> arguments;
  for (auto &argument : kernel.args()) {
    Value *slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), entry->getArg(0),
                                               argument.getArgNo());
    arguments.push_back(
        b.CreateLoad(argument.getType(), b.CreateLoad(b.getPtrTy(), slot)));
  }
  b.CreateCall(&kernel, arguments);
  b.CreateRetVoid();
}

/// NVPTX's conventions and attributes mean nothing to the host.
static std::vector<Function *> adaptFunctions(Module &module) {
  std::vector<Function *> kernels;
  for (Function &function : module) {
    if (function.getCallingConv() == CallingConv::PTX_Kernel &&
        !function.isDeclaration())
      kernels.push_back(&function);
    function.setCallingConv(CallingConv::C);
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  return kernels;
}

static Error rewriteModule(Module &module, bool checks,
                           std::vector<Kernel> &kernels,
                           std::vector<DeviceGlobal> &globals) {
  std::vector<Function *> entries = adaptFunctions(module);
  Expected<SharedLayout> layout = layOutShared(module);
  if (!layout)
    return layout.takeError();
  for (Function *kernel : entries)
    kernels.push_back(describeKernel(*kernel, *layout));
  if (Error error = defineIntrinsics(module))
    return error;
  // After what the kernels compute with, and before what the emulator adds.
  for (Function &function : module)
    if (!function.isDeclaration()) {
      expandMaskedAccesses(function);
      instrument(function, is_contained(entries, &function), checks);
    }
  placeShared(*layout);
  Expected<std::vector<DeviceGlobal>> placed = placeGlobals(module);
  if (!placed)
    return placed.takeError();
  globals = std::move(*placed);
  for (Function *kernel : entries)
    addEntry(*kernel);
  std::string wrong;
  raw_string_ostream stream(wrong);
  if (verifyModule(module, &stream))
    return makeError("the rewritten image is not valid: " + wrong);
  return Error::success();
}

static Error defineRuntime(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    symbols[jit.mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address), JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(symbols));
}

static Expected<std::unique_ptr<orc::LLJIT>> makeJit(KernelCache &cache) {
  auto host = describeHost();
  if (!host)
    return host.takeError();
  cache.setTarget(host->getTargetTriple().str() + host->getCPU() +
                  host->getFeatures().getString());
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(*host)
      .setCompileFunctionCreator(
          [&cache](orc::JITTargetMachineBuilder builder)
              -> Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
            auto machine = builder.createTargetMachine();
            if (!machine)
              return machine.takeError();
            return std::make_unique<orc::TMOwningSimpleCompiler>(
                std::move(*machine), &cache);
          })
      .create();
}

Expected<std::unique_ptr<Image>> Image::load(StringRef bitcode, bool checks,
                                             const std::string &cacheFolder) {
  auto context = std::make_unique<LLVMContext>();
  auto module = parse(bitcode, *context);
  if (!module)
    return module.takeError();
  KernelCache cache(cacheFolder);
  auto jit = makeJit(cache);
  if (!jit)
    return jit.takeError();
  (*module)->setTargetTriple((*jit)->getTargetTriple());
  (*module)->setDataLayout((*jit)->getDataLayout());
  std::vector<Kernel> kernels;
  std::vector<DeviceGlobal> globals;
  if (Error error = rewriteModule(**module, checks, kernels, globals))
    return error;
  auto image = std::unique_ptr<Image>(new Image());
  image->jit = std::move(*jit);
  image->jit->getExecutionSession().setErrorReporter(
      [report = &image->unresolved](Error error) {
        *report += toString(std::move(error));
      });
  if (Error error = defineRuntime(*image->jit))
    return error;
  if (Error error = image->jit->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return error;
  if (Error error = image->bind(std::move(kernels), globals))
    return error;
  return image;
}

/// Compiles: from here on all symbols have addresses.
Error Image::bind(std::vector<Kernel> found,
                  const std::vector<DeviceGlobal> &placed) {
  auto lookUp = [&](const std::string &symbol) -> Expected<void *> {
    auto address = jit->lookup(symbol);
    if (address)
      return address->toPtr<void *>();
    std::string why = toString(address.takeError());
    return makeError("the image cannot be linked: " +
                     (unresolved.empty() ? why : unresolved));
  };
  for (Kernel &kernel : found) {
    Expected<void *> entry = lookUp("memopt.entry." + kernel.name);
    if (!entry)
      return entry.takeError();
    kernel.entry = reinterpret_cast<BlockRunner::Entry>(*entry);
    kernels[kernel.name] = std::move(kernel);
  }
  for (const DeviceGlobal &global : placed) {
    globals[global.name] = {global.address, global.bytes};
    if (global.initializer.empty())
      continue;
    Expected<void *> from = lookUp(global.initializer);
    if (!from)
      return from.takeError();
    std::memcpy(deviceMemory().contents(global.address), *from, global.bytes);
  }
  return Error::success();
}

const Kernel *Image::findKernel(StringRef name) const {
  auto it = kernels.find(name);
  return it == kernels.end() ? nullptr : &it->second;
}

std::pair<uint64_t, int64_t> Image::findGlobal(StringRef name) const {
  return globals.lookup(name);
}
