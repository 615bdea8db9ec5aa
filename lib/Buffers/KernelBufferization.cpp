//===- KernelBufferization.cpp - memopt.kernel for one-shot bufferization
//--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Buffers/Bufferize.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MLProgram/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace memopt;

/// True where the kernel reads `input` at the very point at which it writes
/// `output`.
static bool isInPlace(KernelOp op, OpOperand *input, OpOperand *output) {
  std::optional<ArrayRef<int64_t>> pairs = op.getInPlace();
  if (!pairs)
    return false;
  int64_t inputs = op.getInputs().size();
  for (size_t i = 0; i + 1 < pairs->size(); i += 2)
    if (output->getOperandNumber() == unsigned(inputs + (*pairs)[i]) &&
        input->getOperandNumber() == unsigned((*pairs)[i + 1]))
      return true;
  return false;
}

namespace {
/// Inputs are read, outputs are written whole, and each result is its output.
/// The body stays as it is.
struct KernelModel
    : DstBufferizableOpInterfaceExternalModel<KernelModel, KernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<KernelOp>(op).isDpsInit(&operand);
  }

  bool isNotConflicting(Operation *op, OpOperand *read, OpOperand *write,
                        const AnalysisState &) const {
    return read->getOwner() == op && write->getOwner() == op &&
           isInPlace(cast<KernelOp>(op), read, write);
  }

  bool hasTensorSemantics(Operation *op) const {
    return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
           op->getNumResults() > 0;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto kernel = cast<KernelOp>(op);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs, outputs;
    for (OpOperand &operand : op->getOpOperands()) {
      Value buffer = operand.get();
      if (isa<TensorType>(buffer.getType())) {
        FailureOr<Value> found = getBuffer(rewriter, buffer, options, state);
        if (failed(found))
          return failure();
        buffer = *found;
      }
      (kernel.isDpsInit(&operand) ? outputs : inputs).push_back(buffer);
    }
    auto onBuffers =
        KernelOp::create(rewriter, op->getLoc(), TypeRange(), kernel.getKind(),
                         inputs, outputs, kernel.getInPlaceAttr());
    onBuffers.getBody().takeBody(kernel.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};
} // namespace

void memopt::registerBufferization(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  ml_program::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registry.addExtension(+[](MLIRContext *context, MemOptDialect *) {
    KernelOp::attachInterface<KernelModel>(*context);
  });
}
