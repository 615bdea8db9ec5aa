//===- EmitRows.cpp - elementwise kernels and reductions ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"

using namespace mlir;
using namespace memopt;

LogicalResult memopt::emitRows(KernelOp kernel, KernelBuilder &builder) {
  return kernel.emitOpError("has no CPU code yet");
}
