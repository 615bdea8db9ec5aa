//===- ProductCall.cpp - the call of a product ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductCall.h"
#include "BatchPointers.h"
#include "MemOpt/Codegen/Memory.h"

using namespace mlir;
using namespace memopt;

/// The array of addresses, whose place is known when the step is built; null
/// where the product needs none or an operand does not lie in the arena.
static Value makeMatrices(GpuKernelBuilder &builder,
                          const gpu::Product &product,
                          ArrayRef<GpuAddress> operands) {
  auto isKnown = [](const GpuAddress &address) {
    return address.place.has_value();
  };
  if (!BatchPointers::isNeeded(product) || !llvm::all_of(operands, isKnown))
    return {};
  OpBuilder &b = builder.getHost();
  auto offset = LLVM::ConstantOp::create(b, builder.getLoc(), b.getI64Type(),
                                         b.getI64IntegerAttr(0));
  builder.getRequest().batches.push_back(
      {product, {operands.begin(), operands.end()}, offset});
  return getElementAddress(b, builder.getLoc(), builder.getArena(),
                           b.getI8Type(), offset);
}

void memopt::emitProductCall(GpuKernelBuilder &builder,
                             ArrayRef<int64_t> numbers,
                             ArrayRef<GpuAddress> operands, Value bias,
                             int64_t place) {
  OpBuilder &b = builder.getHost();
  Location loc = builder.getLoc();
  GpuModule &gpu = builder.getModule();
  std::string why;
  std::optional<gpu::Product> product =
      gpu::getProduct(numbers.data(), bool(bias), why);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()),
       i64 = b.getI64Type();
  LLVM::GlobalOp shape = gpu.host.getNumbers(loc, "memopt_product", numbers);
  auto room = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0));
  builder.getRequest().products.push_back({place, room});
  Value matrices;
  if (product && !bias)
    matrices = makeMatrices(builder, *product, operands);
  // The two functions differ in what their fifth operand is.
  Value fifth = matrices ? matrices : bias;
  if (!fifth)
    fifth = LLVM::ZeroOp::create(b, loc, pointer);
  if (product)
    gpu.products.push_back(
        {product->print(), matrices ? 1 : product->getOuterPoints()});
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, pointer, pointer, pointer, pointer, pointer, i64});
  LLVM::CallOp::create(
      b, loc,
      gpu.host.declare(
          loc, matrices ? "memopt_gpu_gemm_batched" : "memopt_gpu_gemm", type),
      ValueRange{LLVM::AddressOfOp::create(b, loc, shape), operands[0].pointer,
                 operands[1].pointer, operands[2].pointer, fifth,
                 builder.getWorkspaceAt(place, 0).pointer, room});
}
