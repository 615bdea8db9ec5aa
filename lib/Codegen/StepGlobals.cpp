//===- StepGlobals.cpp - what a step keeps between its runs ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/StepGlobals.h"
#include "MemOpt/Codegen/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

static constexpr int64_t kAlignment = 64;

LogicalResult StepGlobals::add(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  if (!global)
    return op.emitOpError("names no memref.global");
  if (!global.getType().getLayout().isIdentity())
    return op.emitOpError("of a global that is not contiguous has no code");
  auto value =
      dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
  FailureOr<std::string> bytes =
      value ? memopt::getBytes(value) : FailureOr<std::string>(failure());
  if (failed(bytes))
    return op.emitOpError("of global @")
           << global.getName()
           << ", which has no value of numbers before the first run, has no "
              "code";
  initial.resize(llvm::alignTo(initial.size(), kAlignment), '\0');
  offsets[op.getNameAttr().getAttr()] = getBytes();
  initial += *bytes;
  return success();
}

FailureOr<StepGlobals> StepGlobals::collect(func::FuncOp step) {
  StepGlobals globals;
  WalkResult result = step.walk([&](memref::GetGlobalOp op) {
    bool isKnown = globals.offsets.count(op.getNameAttr().getAttr());
    return isKnown || succeeded(globals.add(op)) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return globals;
}

void StepGlobals::create(ModuleOp module, Location loc) const {
  if (initial.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), initial.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/false,
                         LLVM::Linkage::External, kGlobalsSymbol,
                         b.getStringAttr(initial), kAlignment);
}

int64_t StepGlobals::getOffset(memref::GetGlobalOp op) const {
  auto at = offsets.find(op.getNameAttr().getAttr());
  assert(at != offsets.end() && "collect() has seen the step");
  return at->second;
}

Value StepGlobals::getAddress(OpBuilder &b, memref::GetGlobalOp op) const {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value block =
      LLVM::AddressOfOp::create(b, op.getLoc(), pointer, kGlobalsSymbol);
  Value offset = LLVM::ConstantOp::create(b, op.getLoc(), b.getI64Type(),
                                          b.getI64IntegerAttr(getOffset(op)));
  return LLVM::GEPOp::create(b, op.getLoc(), pointer, b.getI8Type(), block,
                             ValueRange{offset});
}
