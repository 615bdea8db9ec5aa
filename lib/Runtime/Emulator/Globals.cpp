//===- Globals.cpp - globals and shared variables -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "MemOpt/Runtime/Gpu.h"
#include "Rewrite.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace memopt::emulator;
using namespace llvm;

static constexpr unsigned kSharedSpace = 3;
/// Between shared variables, so that an index that is off by some is seen.
static constexpr uint64_t kRedZone = 64;

static Constant *addressOf(const GlobalVariable &global, uint64_t address) {
  auto *integer = Type::getInt64Ty(global.getContext());
  return ConstantExpr::getIntToPtr(ConstantInt::get(integer, address),
                                   global.getType());
}

static Error makeError(const Twine &text) {
  return createStringError(std::errc::invalid_argument, text.str().c_str());
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

/// Whether a global is one of the program's, not a list of LLVM's.
static bool isProgramGlobal(const GlobalVariable &global) {
  return !global.getName().starts_with("llvm.") &&
         global.getAddressSpace() != kSharedSpace;
}

Expected<std::vector<DeviceGlobal>>
memopt::emulator::placeGlobals(Module &module) {
  std::vector<GlobalVariable *> found;
  for (GlobalVariable &global : module.globals())
    if (isProgramGlobal(global))
      found.push_back(&global);
  std::vector<DeviceGlobal> placed;
  for (auto [number, global] : enumerate(found)) {
    if (global->isDeclaration())
      return makeError("the image does not define its global " +
                       global->getName());
    DeviceGlobal entry;
    entry.name = global->getName().str();
    entry.bytes =
        module.getDataLayout().getTypeAllocSize(global->getValueType());
    // What is not initialised is 0 on the device.
    bool isZero = isa<UndefValue>(global->getInitializer()) ||
                  global->getInitializer()->isNullValue();
    bool isReport = entry.name == MEMOPT_GPU_FAULT;
    std::string wrong = deviceMemory().allocate(
        entry.bytes, entry.address,
        uint8_t(kWritten | kGlobal | (isReport ? kReport : 0)));
    if (!wrong.empty())
      return makeError(wrong);
    if (isZero)
      std::memset(deviceMemory().contents(entry.address), 0, entry.bytes);
    else
      entry.initializer = "memopt.initial." + std::to_string(number);
    global->replaceAllUsesWith(addressOf(*global, entry.address));
    if (isZero) {
      global->eraseFromParent();
    } else {
      global->setName(entry.initializer);
      global->setLinkage(GlobalValue::ExternalLinkage);
    }
    placed.push_back(std::move(entry));
  }
  return placed;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Expected<SharedLayout> memopt::emulator::layOutShared(Module &module) {
  SharedLayout layout;
  uint64_t offset = kRedZone;
  for (GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() != kSharedSpace)
      continue;
    uint64_t bytes =
        module.getDataLayout().getTypeAllocSize(global.getValueType());
    if (!bytes) {
      if (layout.dynamic)
        return makeError("the image has two dynamic shared variables: " +
                         layout.dynamic->getName() + " and " +
                         global.getName());
      layout.dynamic = &global;
      continue;
    }
    offset = alignTo(
        offset, std::max<uint64_t>(global.getAlign().valueOrOne().value(), 16));
    layout.variables[&global] = {offset, bytes};
    offset += bytes + kRedZone;
  }
  layout.dynamicOffset = alignTo(offset, 256);
  if (layout.dynamicOffset + SharedMemory::kMaxBlockBytes + kRedZone >
      SharedMemory::kBytes)
    return makeError("the image's shared variables take more than " +
                     Twine(SharedMemory::kBytes) + " bytes");
  return layout;
}

void memopt::emulator::placeShared(SharedLayout &layout) {
  uint64_t base = sharedMemory().begin();
  auto place = [&](GlobalVariable *global, uint64_t offset) {
    global->replaceAllUsesWith(addressOf(*global, base + offset));
    global->eraseFromParent();
  };
  for (auto &[global, range] : layout.variables)
    place(global, range.offset);
  if (layout.dynamic)
    place(layout.dynamic, layout.dynamicOffset);
  layout.variables.clear();
  layout.dynamic = nullptr;
}

//===----------------------------------------------------------------------===//
// What a kernel uses
//===----------------------------------------------------------------------===//

namespace {

/// All globals and functions that a function refers to, at any depth.
class Uses {
public:
  explicit Uses(Function &function) {
    functions.insert(&function);
    for (size_t i = 0; i < functions.size(); ++i)
      for (BasicBlock &block : *functions[i])
        for (Instruction &instruction : block)
          for (Value *operand : instruction.operands())
            visit(operand);
  }
  SetVector<Function *> functions;
  SetVector<GlobalVariable *> globals;

private:
  void visit(Value *value) {
    if (auto *function = dyn_cast<Function>(value))
      functions.insert(function);
    else if (auto *global = dyn_cast<GlobalVariable>(value))
      globals.insert(global);
    else if (auto *constant = dyn_cast<Constant>(value))
      for (Value *operand : constant->operands())
        visit(operand);
  }
};

} // namespace

/// The product of up to three numbers, as in nvvm.reqntid="128,1,1"; 0 where
/// there is no such attribute.
static int64_t readThreads(const Function &function, StringRef name) {
  Attribute attribute = function.getFnAttribute(name);
  if (!attribute.isValid())
    return 0;
  SmallVector<StringRef, 3> parts;
  attribute.getValueAsString().split(parts, ',');
  int64_t product = 1;
  for (StringRef part : parts) {
    int64_t factor = 1;
    if (!part.trim().getAsInteger(10, factor))
      product *= factor;
  }
  return product;
}

Kernel memopt::emulator::describeKernel(Function &function,
                                        const SharedLayout &layout) {
  Kernel kernel;
  kernel.name = function.getName().str();
  Uses uses(function);
  for (Function *used : uses.functions)
    kernel.synchronises |= isSynchronisation(used->getName());
  for (GlobalVariable *global : uses.globals) {
    auto it = layout.variables.find(global);
    if (it != layout.variables.end())
      kernel.shared.push_back(it->second);
    kernel.usesDynamic |= global == layout.dynamic && global;
  }
  kernel.dynamicOffset = layout.dynamicOffset;
  const DataLayout &data = function.getParent()->getDataLayout();
  for (Argument &argument : function.args())
    kernel.parameterBytes.push_back(data.getTypeStoreSize(argument.getType()));
  kernel.requiredThreads = readThreads(function, "nvvm.reqntid");
  kernel.maxThreads = readThreads(function, "nvvm.maxntid");
  return kernel;
}
