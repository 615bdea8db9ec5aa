//===- Products.h - matrix products in a fixed order -----------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_PRODUCTS_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_PRODUCTS_H

#include "MemOpt/Runtime/GpuProduct.h"

#include <string>

namespace memopt::emulator {

using gpu::ProductCall;

/// Computes it, each sum in the order of k; what is wrong with it, or nothing.
std::string runProduct(const ProductCall &call, bool checks);

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_PRODUCTS_H
