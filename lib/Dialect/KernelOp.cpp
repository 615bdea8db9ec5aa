//===- KernelOp.cpp - the verifier and effects of memopt.kernel -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Dialect/MemOpt.h"

using namespace mlir;
using namespace memopt;

OperandRange KernelOp::getYielded() {
  return getBody().front().getTerminator()->getOperands();
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<BaseMemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    if (isa<BaseMemRefType>(output.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &output);
}

/// True where `inside` is `outside` as the body sees it: a tensor for a buffer
/// of its shape, else the same type.
static bool matches(Type inside, Type outside) {
  auto buffer = dyn_cast<MemRefType>(outside);
  if (!buffer)
    return inside == outside;
  return inside ==
         RankedTensorType::get(buffer.getShape(), buffer.getElementType());
}

static LogicalResult verifyInPlace(KernelOp op) {
  std::optional<ArrayRef<int64_t>> pairs = op.getInPlace();
  if (!pairs)
    return success();
  if (pairs->size() % 2)
    return op.emitOpError("in_place lists pairs of an output and an input");
  for (size_t i = 0; i < pairs->size(); i += 2) {
    int64_t output = (*pairs)[i], input = (*pairs)[i + 1];
    if (output < 0 || output >= int64_t(op.getOutputs().size()) || input < 0 ||
        input >= int64_t(op.getInputs().size()))
      return op.emitOpError("in_place names output ")
             << output << " and input " << input << "; there are "
             << op.getOutputs().size() << " and " << op.getInputs().size();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  bool buffers = !hasTensors() && !getOutputs().empty();
  for (Value output : getOutputs())
    if (isa<BaseMemRefType>(output.getType()) != buffers)
      return emitOpError("expects tensors and a result for each output, or "
                         "buffers and no results");
  if (!buffers && getResultTypes() != getOutputs().getTypes())
    return emitOpError("results must have the types of the outputs");
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("body must have an argument for each input");
  for (auto [argument, input] : llvm::zip(block.getArguments(), getInputs()))
    if (!matches(argument.getType(), input.getType()))
      return emitOpError("body argument ")
             << argument.getArgNumber() << " must be the tensor that the input "
             << input.getType() << " holds, got " << argument.getType();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != getOutputs().size())
    return emitOpError("body must end in memopt.yield of one tensor an output");
  for (auto [value, output] : llvm::zip(yield.getValues(), getOutputs()))
    if (!matches(value.getType(), output.getType()))
      return emitOpError("body must yield what the output ")
             << output.getType() << " holds, got " << value.getType();
  return verifyInPlace(*this);
}
