//===- GpuKernelBuilder.cpp - a kernel and its launch ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuKernelBuilder.h"
#include "MemOpt/Codegen/Memory.h"
#include "Workspace.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// GpuLauncher
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp GpuLauncher::create(Location loc, StringRef text,
                                     StringRef stem,
                                     ArrayRef<GpuParameter> parameters,
                                     const GpuGeometry &geometry) {
  MLIRContext *context = host.getContext();
  Builder b(context);
  SmallVector<Type> types(parameters.size(),
                          LLVM::LLVMPointerType::get(context, globalSpace));
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  LLVM::LLVMFuncOp function = gpu.device.create(loc, text, stem, type);
  function.setLinkage(LLVM::Linkage::External);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  SmallVector<int32_t> threads(geometry.block, geometry.block + 3);
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr(threads));
  // Else ptxas spills where that lets one block more run beside the others.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (!parameter.alone)
      continue;
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
    if (parameter.isRead())
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          b.getUnitAttr());
  }
  return function;
}

/// An array in the frame with a pointer to each value.
static Value makeParameterArray(OpBuilder &b, Location loc, StepFrame &frame,
                                ArrayRef<GpuParameter> parameters) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  int32_t count = parameters.size();
  Value array = frame.take(b, loc, 16 * std::max(count, 1));
  auto getSlot = [&](int32_t number) {
    return LLVM::GEPOp::create(b, loc, pointer, pointer, array,
                               ArrayRef<LLVM::GEPArg>{number});
  };
  for (int32_t i = 0; i < count; ++i) {
    Value value = getSlot(count + i);
    LLVM::StoreOp::create(b, loc, parameters[i].pointer, value);
    LLVM::StoreOp::create(b, loc, value, getSlot(i));
  }
  return array;
}

void GpuLauncher::launch(Location loc, LLVM::LLVMFuncOp function,
                         const GpuGeometry &geometry,
                         ArrayRef<GpuParameter> parameters) {
  Type pointer = LLVM::LLVMPointerType::get(host.getContext());
  Type i64 = host.getI64Type();
  SmallVector<int64_t> numbers(geometry.grid, geometry.grid + 3);
  numbers.append(geometry.block, geometry.block + 3);
  numbers.push_back(geometry.sharedBytes);
  SmallVector<int64_t> bytes;
  for (const GpuParameter &parameter : parameters)
    bytes.push_back(parameter.bytes);
  auto getAddress = [&](LLVM::GlobalOp global) -> Value {
    return LLVM::AddressOfOp::create(host, loc, global);
  };
  std::string name = function.getName().str();
  name.push_back('\0');
  SmallVector<Value> operands{
      LLVM::AddressOfOp::create(host, loc, pointer, "memopt_gpu_image"),
      imageBytes,
      getAddress(gpu.host.getConstant(loc, name)),
      getAddress(gpu.host.getNumbers(loc, "memopt_geometry", numbers)),
      makeParameterArray(host, loc, frame, parameters),
      bytes.empty()
          ? Value(LLVM::ZeroOp::create(host, loc, pointer))
          : getAddress(gpu.host.getNumbers(loc, "memopt_bytes", bytes)),
      LLVM::ConstantOp::create(host, loc, i64,
                               host.getI64IntegerAttr(parameters.size()))};
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(host.getContext()),
      {pointer, i64, pointer, pointer, pointer, pointer, i64});
  LLVM::CallOp::create(
      host, loc, gpu.host.declare(loc, "memopt_gpu_launch", type), operands);
}

//===----------------------------------------------------------------------===//
// GpuKernelBuilder
//===----------------------------------------------------------------------===//

GpuKernelBuilder::GpuKernelBuilder(GpuLauncher &launcher, KernelOp kernel,
                                   ValueRange buffers, Value arena,
                                   Value workspace, WorkspaceRequest &request)
    : launcher(launcher), kernel(kernel),
      buffers(buffers.begin(), buffers.end()), arena(arena),
      workspace(workspace), request(request), text(getKernelText(kernel)) {}

GpuAddress GpuKernelBuilder::getAddress(unsigned operand) {
  return {buffers[operand], getArenaOffset(kernel->getOperand(operand))};
}

GpuAddress GpuKernelBuilder::getAddress(const GpuAddress &base, Type element,
                                        int64_t offset) {
  OpBuilder &b = getHost();
  Value number = LLVM::ConstantOp::create(b, getLoc(), b.getI64Type(),
                                          b.getI64IntegerAttr(offset));
  GpuAddress address = base;
  address.pointer =
      getElementAddress(b, getLoc(), base.pointer, element, number);
  if (address.place)
    *address.place += offset * getElementBytes(element);
  return address;
}

GpuAddress GpuKernelBuilder::getWorkspaceAt(int64_t offset, int64_t bytes) {
  GpuAddress begin{getWorkspace(offset + bytes), 0, /*isInWorkspace=*/true};
  return getAddress(begin, getHost().getI8Type(), offset);
}

SmallVector<GpuParameter>
GpuKernelBuilder::getParameters(bool writesAll) const {
  SmallVector<GpuParameter> parameters;
  unsigned inputs = KernelOp(kernel).getInputs().size();
  for (auto [i, pointer] : llvm::enumerate(buffers)) {
    GpuParameter parameter{pointer, 8, true};
    Type type = KernelOp(kernel)->getOperand(i).getType();
    if (auto buffer = dyn_cast<MemRefType>(type))
      parameter.bytes =
          buffer.getNumElements() * getElementBytes(buffer.getElementType());
    else
      parameter.bytes = getElementBytes(type);
    if (i >= inputs)
      parameter.bytes = writesAll ? -parameter.bytes : 0;
    // An argument that is updated in place is input and output; buffers in the
    // arena are apart while they are alive.
    for (auto [j, other] : llvm::enumerate(buffers))
      parameter.alone &=
          i == j || other != pointer || (i < inputs && j < inputs);
    parameters.push_back(parameter);
  }
  return parameters;
}

FailureOr<LLVM::LLVMFuncOp>
GpuKernelBuilder::outline(StringRef part, ArrayRef<GpuParameter> parameters,
                          const GpuGeometry &geometry, Body body) {
  std::string key = (part + "\n").str();
  for (const GpuParameter &parameter : parameters)
    key.push_back(!parameter.alone      ? 'x'
                  : parameter.isRead()  ? 'r'
                  : parameter.bytes < 0 ? 'w'
                                        : '.');
  for (int64_t size : geometry.block)
    key += " " + std::to_string(size);
  key += "\n" + text;
  CodeModule &device = getModule().device;
  if (LLVM::LLVMFuncOp known = device.lookup(key))
    return known;
  std::string stem = stringifyKernelKind(kernel.getKind()).str();
  if (!part.empty())
    stem += ("_" + part).str();
  LLVM::LLVMFuncOp function =
      launcher.create(getLoc(), key, stem, parameters, geometry);
  Block &entry = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(&entry);
  if (failed(body(b, entry.getArguments()))) {
    device.erase(key);
    return failure();
  }
  Block &last = function.getBody().back();
  if (last.empty() || !last.back().hasTrait<OpTrait::IsTerminator>()) {
    b.setInsertionPointToEnd(&last);
    LLVM::ReturnOp::create(b, getLoc(), ValueRange());
  }
  return function;
}

void GpuKernelBuilder::launch(LLVM::LLVMFuncOp function,
                              ArrayRef<GpuParameter> parameters,
                              const GpuGeometry &geometry,
                              const GpuTraffic &traffic) {
  launcher.launch(getLoc(), function, geometry, parameters);
  getModule().launches.push_back({function.getName().str(),
                                  stringifyKernelKind(kernel.getKind()),
                                  traffic});
}
