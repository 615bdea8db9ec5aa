//===- EmitContraction.cpp - products on the GPU --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace mlir;
using namespace memopt;

LogicalResult memopt::emitGpuContraction(GpuKernelBuilder &builder) {
  KernelOp kernel = builder.getKernel();
  return kernel.emitOpError("of kind ")
         << stringifyKernelKind(kernel.getKind()) << " has no GPU code";
}
