//===- EmitMovement.cpp - gathers, slices, copies on the GPU --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output that is a transposed input goes through tiles in shared memory.
// Others are loops over their points where a program has a place for the body:
// then a thread moves 16 bytes at once. Others, as concatenations and paddings,
// are one thread an element, which finds its source; neighbours find
// neighbours, so that a warp's accesses lie together. No element is written
// twice.
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "Emitters.h"
#include "GatherKernel.h"
#include "MemOpt/Codegen/StridedView.h"

using namespace mlir;
using namespace memopt;

/// An output that is a transposed input, through tiles in shared memory; false,
/// with nothing written, where it is another one.
static bool emitTransposition(GpuKernelBuilder &builder, unsigned output) {
  KernelOp kernel = builder.getKernel();
  Value tensor = kernel.getYielded()[output];
  std::optional<StridedView> view =
      getStridedView(tensor, /*throughExtensions=*/false);
  auto base = view ? dyn_cast<BlockArgument>(view->base) : BlockArgument();
  if (!base || !isa<RankedTensorType>(base.getType()))
    return false;
  SmallVector<GatherLoop> loops;
  for (const Factors &factors : view->dims)
    for (Factor factor : factors)
      loops.push_back({factor.size, factor.stride});
  Value target = builder.getBuffer(kernel.getInputs().size() + output);
  bool isInPlace = llvm::count(builder.getBuffers(), target) > 1;
  if (isInPlace || !isTransposition(loops))
    return false;
  emitGatherKernel(builder.getLauncher(), builder.getLoc(),
                   getElementTypeOrSelf(tensor.getType()), loops,
                   builder.getBuffer(base.getArgNumber()), view->offset, target,
                   "movement");
  return true;
}

LogicalResult memopt::emitGpuMovement(GpuKernelBuilder &builder) {
  KernelOp kernel = builder.getKernel();
  SmallVector<unsigned> rest;
  for (unsigned output = 0; output < kernel.getOutputs().size(); ++output)
    if (!emitTransposition(builder, output))
      rest.push_back(output);
  Operation *refusal = nullptr;
  if (succeeded(emitGpuOutputs(builder, rest, {}, refusal)))
    return success();
  InFlightDiagnostic error =
      kernel.emitOpError("has no GPU code: its outputs cannot be computed "
                         "element by element");
  if (refusal)
    error.attachNote(refusal->getLoc())
        << "because of this '" << refusal->getName() << "'";
  return error;
}
