//===- ProgramBuilder.h - from a kernel's body to its program ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CODEGEN_PROGRAMBUILDER_H
#define MEMOPT_LIB_CODEGEN_PROGRAMBUILDER_H

#include "MemOpt/Codegen/KernelProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

namespace memopt {

using Indices = llvm::SmallVector<mlir::AffineExpr>;

/// True where a loop of more than one iteration is reduced; else the op takes
/// one value a result, as an elementwise one does.
bool reduces(mlir::linalg::LinalgOp op);

/// Points and rows of a kernel's loops. `rows` is 0 where rows mean nothing.
struct KernelShape {
  int64_t points = 1, rows = 0;
};

/// Reads off the reductions and `outputs` how a kernel iterates; fails with a
/// diagnostic where they do not fit together.
llvm::FailureOr<KernelShape>
getKernelShape(KernelOp kernel, llvm::ArrayRef<mlir::Value> outputs);

/// The value that `value`, a reshape, cast, slice or fence or the copy,
/// transpose or broadcast of a linalg op, shows, and `indices` as they are
/// there. Null where it is no such; failure, with a diagnostic, where it is one
/// that has no place in a program.
llvm::FailureOr<mlir::Value> stepThroughView(mlir::Value value,
                                             Indices &indices, IndexMath &math);

/// The loops of a linalg op at which `map` gives `indices`; nothing where they
/// do not determine them.
std::optional<Indices> invertMap(mlir::AffineMap map,
                                 llvm::ArrayRef<mlir::AffineExpr> indices,
                                 llvm::ArrayRef<int64_t> ranges,
                                 IndexMath &math);
/// What `map` gives at `loops`.
Indices applyMap(mlir::AffineMap map, llvm::ArrayRef<mlir::AffineExpr> loops,
                 IndexMath &math);

/// Builds a program over fixed loops. Where they turn out too coarse, `math`
/// wishes for a split, and what was built is to be thrown away.
class ProgramBuilder {
public:
  ProgramBuilder(KernelOp kernel, const ProgramLeaves &leaves,
                 KernelProgram &program)
      : kernel(kernel), leaves(leaves), program(program),
        math(program.getMath()) {}

  llvm::LogicalResult addOutputs(llvm::ArrayRef<mlir::Value> outputs);
  /// The assertions in the bodies of the kernel's linalg ops.
  llvm::LogicalResult addAsserts();

  const IndexMath &getMath() const { return math; }

private:
  /// Where a body stands: its op's loops, and what its arguments are.
  struct Scope {
    mlir::linalg::LinalgOp op;
    Indices loops;
    llvm::DenseMap<mlir::Value, int> known = llvm::DenseMap<mlir::Value, int>();
  };

  // Tensors.
  mlir::FailureOr<int> evaluate(mlir::Value tensor, const Indices &indices);
  mlir::FailureOr<int> evaluateOp(mlir::OpResult result,
                                  const Indices &indices);
  mlir::FailureOr<int> evaluateLinalg(mlir::linalg::LinalgOp op,
                                      unsigned result, const Indices &indices);
  mlir::FailureOr<int> evaluateConstant(mlir::Operation *op,
                                        mlir::ElementsAttr data,
                                        const Indices &indices);
  mlir::FailureOr<int> evaluateReduction(mlir::linalg::LinalgOp op,
                                         unsigned result,
                                         const Indices &indices);
  mlir::FailureOr<int> addReduction(mlir::linalg::LinalgOp op);
  mlir::FailureOr<int> getReduction(mlir::linalg::LinalgOp op);
  int64_t getRows() const;
  mlir::FailureOr<mlir::AffineExpr> getKeptIndex(int64_t &count);
  mlir::FailureOr<Indices> getOutputIndices(mlir::Value output);
  llvm::LogicalResult addOutput(mlir::Value output, int number);
  llvm::LogicalResult addAssertsOf(mlir::linalg::LinalgOp op);

  // Scalars; `scope` is null outside of a linalg op's body.
  mlir::FailureOr<int> evaluateScalar(mlir::Value value, Scope *scope);
  mlir::FailureOr<int> evaluateArgument(mlir::BlockArgument argument,
                                        Scope &scope);
  mlir::FailureOr<int> compute(mlir::OpResult result, Scope *scope);
  mlir::FailureOr<int> extract(mlir::tensor::ExtractOp op, Scope *scope);
  mlir::FailureOr<int> gather(mlir::tensor::ExtractOp op,
                              llvm::ArrayRef<int> indices);
  /// The index expression that a node of integers is, or null.
  mlir::AffineExpr getIndex(int node) const;
  mlir::AffineExpr foldIndex(mlir::Operation *op, llvm::ArrayRef<int> operands);

  int addNode(ProgramNode node);
  int addIndex(mlir::AffineExpr index);
  int addSource(mlir::ElementsAttr data);

  KernelOp kernel;
  const ProgramLeaves &leaves;
  KernelProgram &program;
  IndexMath math;
  std::map<std::vector<const void *>, int> known, nodeNumbers;
  llvm::DenseMap<mlir::Operation *, int> reductionOf;
  std::vector<llvm::SmallVector<Indices>> reducedAt;
};

/// Joins neighbouring loops wherever everything in the program runs over them
/// as over one.
void joinLoops(KernelProgram &program);

} // namespace memopt

#endif // MEMOPT_LIB_CODEGEN_PROGRAMBUILDER_H
