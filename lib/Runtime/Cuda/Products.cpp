//===- Products.cpp - matrix products by cuBLASLt -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "PreparedProduct.h"

#include <algorithm>

using namespace memopt::cuda;
using memopt::gpu::OuterBatch;
using memopt::gpu::Product;
using memopt::gpu::ProductOperand;

Products::Products() = default;
Products::~Products() = default;

std::string Products::open() {
  if (handle)
    return "";
  std::string wrong = library.load();
  if (!wrong.empty())
    return wrong;
  cublasStatus_t status = library.cublasLtCreate(&handle);
  return status ? library.describe("cublasLtCreate", status) : "";
}

void Products::close() {
  prepared.clear();
  if (handle)
    library.cublasLtDestroy(handle);
  handle = nullptr;
}

/// The largest power of two up to 256 that divides all of an operand's
/// addresses.
static uint32_t alignmentOf(const void *pointer, const Product &product,
                            int operand, int64_t elementBytes) {
  const ProductOperand *operands[] = {&product.a, &product.b, &product.c};
  auto bits = reinterpret_cast<uint64_t>(pointer);
  // cuBLASLt sees these itself unless it is given addresses.
  if (!product.outer.empty())
    bits |= uint64_t(operands[operand]->batchStride * elementBytes);
  for (const OuterBatch &loop : product.outer)
    bits |= uint64_t(loop.strides[operand] * elementBytes);
  uint32_t alignment = 256;
  while (bits % alignment)
    alignment /= 2;
  return alignment;
}

std::string Products::prepare(const ProductCall &call,
                              PreparedProduct *&found) {
  std::string why;
  std::optional<Product> product =
      gpu::getProduct(call.shape, call.bias != nullptr, why);
  if (!product)
    return why;
  Alignments alignments = {
      alignmentOf(call.a, *product, 0, gpu::getElementBytes(product->aType)),
      alignmentOf(call.b, *product, 1, gpu::getElementBytes(product->bType)),
      alignmentOf(call.c, *product, 2, gpu::getElementBytes(product->cType))};
  int64_t length =
      MEMOPT_GPU_SHAPE_HEADER + call.shape[5] * MEMOPT_GPU_SHAPE_LOOP;
  bool byPointers = call.matrices && !product->outer.empty();
  Key key{std::vector<int64_t>(call.shape, call.shape + length),
          call.bias != nullptr,
          byPointers,
          call.workspaceBytes,
          alignments.a,
          alignments.b,
          alignments.c};
  std::unique_ptr<PreparedProduct> &entry = prepared[key];
  if (!entry) {
    auto made = std::make_unique<PreparedProduct>(library, *product);
    why = made->prepare(handle, call.bias != nullptr, byPointers,
                        call.workspaceBytes, alignments);
    if (!why.empty())
      return product->print() + ": " + why;
    entry = std::move(made);
  }
  found = entry.get();
  return "";
}

std::string Products::enqueue(const ProductCall &call, CUstream stream) {
  std::string wrong = open();
  PreparedProduct *found = nullptr;
  if (wrong.empty())
    wrong = prepare(call, found);
  if (wrong.empty())
    wrong = found->enqueue(handle, call, stream);
  return wrong;
}
