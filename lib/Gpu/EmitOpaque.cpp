//===- EmitOpaque.cpp - anything else on tensors --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of other ops than the GPU's kernels are made of: loops and branches
// around tensors. Where an output's elements can be computed one by one all the
// same they are, as those of a scatter that adds; what needs an order among
// elements would be the work of one thread, and is refused.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace mlir;
using namespace memopt;

LogicalResult memopt::emitGpuOpaque(GpuKernelBuilder &builder) {
  return emitGpuMovement(builder);
}
