//===- EmitMovement.cpp - gathers, slices, copies on the GPU --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output is loops over its points where a program has a place for the body:
// then a thread moves 16 bytes at once. Others, as concatenations and paddings,
// are one thread an element, which finds its source; neighbours find
// neighbours, so that a warp's accesses lie together. No element is written
// twice.
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "Emitters.h"

using namespace mlir;
using namespace memopt;

LogicalResult memopt::emitGpuMovement(GpuKernelBuilder &builder) {
  KernelOp kernel = builder.getKernel();
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(kernel.getOutputs().size()));
  Operation *refusal = nullptr;
  if (succeeded(emitGpuOutputs(builder, all, {}, refusal)))
    return success();
  InFlightDiagnostic error =
      kernel.emitOpError("has no GPU code: its outputs cannot be computed "
                         "element by element");
  if (refusal)
    error.attachNote(refusal->getLoc())
        << "because of this '" << refusal->getName() << "'";
  return error;
}
