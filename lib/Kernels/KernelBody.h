//===- KernelBody.h - the body of a kernel in the making ----------*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KERNELS_KERNELBODY_H
#define MEMOPT_LIB_KERNELS_KERNELBODY_H

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace memopt {

/// The size that `op`, a tensor.dim or tensor.rank of a static tensor, asks
/// for.
std::optional<int64_t> getMeasure(mlir::Operation *op);

/// Calls `callback` on each operand of `op` and of the ops in it whose value is
/// made outside `op`.
void forEachOutsideOperand(mlir::Operation *op,
                           llvm::function_ref<void(mlir::OpOperand &)> visit);

/// The body of one kernel while it is built. What stands outside is named by
/// the step's own values.
class KernelBody {
public:
  KernelBody(const BuiltStepGraph &built, mlir::Block &step);

  /// Clones a member, and the glue that it reads through.
  void add(mlir::Operation *op);

  /// `value` of the step as the body sees it. A storage or scalar that no
  /// member makes becomes an input, glue is cloned.
  mlir::Value get(mlir::Value value);

  /// The storages and scalars that are read, in the order of their first use.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }

  /// Ends the body, which yields `outputs`, and makes it a kernel on
  /// `operands`, one an input.
  KernelOp finish(mlir::OpBuilder &builder, mlir::Location loc, KernelKind kind,
                  mlir::ValueRange operands,
                  llvm::ArrayRef<mlir::Value> outputs);

private:
  mlir::Value addGlue(mlir::OpResult value);
  mlir::Value addView(mlir::OpResult value, mlir::Value source);
  void clone(mlir::Operation *op);

  const BuiltStepGraph &built;
  mlir::Block &step;
  mlir::Region region;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::Value> inputs;
};

} // namespace memopt

#endif // MEMOPT_LIB_KERNELS_KERNELBODY_H
