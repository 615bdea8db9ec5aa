//===- ElementReader.h - one element of a kernel's value --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the code that computes one element of a tensor in a kernel's body,
// from what the kernel reads: no tensor in between is ever made. It follows an
// element back through views, broadcasts, slices, gathers and elementwise ops;
// a reduction becomes a loop.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_ELEMENTREADER_H
#define MEMOPT_CODEGEN_ELEMENTREADER_H

#include "MemOpt/Codegen/CodeModule.h"
#include "MemOpt/Codegen/IndexCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <functional>
#include <map>

namespace memopt {

class ElementReader {
public:
  /// `pointers` are those to the kernel's inputs, then its outputs.
  ElementReader(CodeModule &code, KernelOp kernel, mlir::OpBuilder &b,
                mlir::ValueRange pointers);

  /// From now on, element `indices` of `tensor` is what `read` gives; null
  /// where it has none.
  void setValue(mlir::Value tensor,
                std::function<mlir::Value(llvm::ArrayRef<mlir::Value>)> read) {
    known[tensor] = std::move(read);
  }

  /// From now on, loops that carry tensors are read too: a loop for each
  /// element.
  void followLoops() { followsLoops = true; }

  /// Element `indices` (of index type) of a tensor in the body. Fails where an
  /// op on the way has no such code; `getRefusal` is then that op.
  mlir::FailureOr<mlir::Value> read(mlir::Value tensor,
                                    llvm::ArrayRef<mlir::Value> indices);
  /// A number in the body.
  mlir::FailureOr<mlir::Value> readScalar(mlir::Value scalar);
  /// What a block yields; its arguments are the indices.
  mlir::FailureOr<mlir::Value> readBody(mlir::Block &block,
                                        llvm::ArrayRef<mlir::Value> indices);
  mlir::Operation *getRefusal() const { return refusal; }

  /// The pointer to an operand of the kernel: inputs, then outputs.
  mlir::Value getPointer(unsigned operand) const { return pointers[operand]; }

private:
  using Key = std::pair<void *, llvm::SmallVector<void *, 6>>;
  using Seen = std::map<Key, mlir::Value>;

  /// What is read while this lives is known no longer after it: for the body of
  /// a loop or a branch.
  class Scope {
  public:
    explicit Scope(ElementReader &reader)
        : reader(reader), saved(reader.seen) {}
    ~Scope() { reader.seen = std::move(saved); }

  private:
    ElementReader &reader;
    Seen saved;
  };

  mlir::FailureOr<mlir::Value> refuse(mlir::Operation *op);
  /// An index of dimension `dim` that was computed: within the tensor where
  /// something is asserted (see hasAssertions).
  mlir::Value keepInside(mlir::Value index, mlir::Value tensor, unsigned dim);
  mlir::FailureOr<mlir::Value> readNew(mlir::Value tensor,
                                       llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readOp(mlir::OpResult tensor,
                                      llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readNewScalar(mlir::Value scalar);
  mlir::FailureOr<mlir::Value> readNothing(mlir::Type element);
  mlir::FailureOr<mlir::Value> readFold(mlir::OpFoldResult fold);
  mlir::FailureOr<mlir::Value> readSlice(mlir::tensor::ExtractSliceOp op,
                                         llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value>
  readInserted(mlir::tensor::InsertOp op, llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value>
  readConstant(mlir::arith::ConstantOp op, llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readLinalg(mlir::linalg::LinalgOp op,
                                          unsigned result,
                                          llvm::ArrayRef<mlir::Value> indices);
  /// Sums over the reduced loops from number `depth` on.
  mlir::LogicalResult reduce(mlir::linalg::LinalgOp op, Indices &loops,
                             unsigned depth,
                             llvm::SmallVector<mlir::Value> &accumulators);
  mlir::FailureOr<mlir::Value>
  choose(mlir::Type type, mlir::Value condition,
         llvm::function_ref<mlir::FailureOr<mlir::Value>()> then,
         llvm::function_ref<mlir::FailureOr<mlir::Value>()> otherwise);
  mlir::FailureOr<mlir::Value>
  readInserted(mlir::tensor::InsertSliceOp op,
               llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readLoop(mlir::scf::ForOp op,
                                        mlir::OpResult result,
                                        llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value>
  readIteration(mlir::scf::ForOp op, unsigned dim, mlir::OpResult result,
                llvm::ArrayRef<mlir::Value> indices);
  /// Element `indices` of a tensor, or a number.
  mlir::FailureOr<mlir::Value> readAt(mlir::Value value,
                                      llvm::ArrayRef<mlir::Value> indices);
  void setCarried(mlir::Value argument, mlir::Value value,
                  llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readBranch(mlir::scf::IfOp op,
                                          mlir::OpResult result,
                                          llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readPadded(mlir::tensor::PadOp op,
                                          llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value> readConcat(mlir::tensor::ConcatOp op,
                                          unsigned input,
                                          llvm::ArrayRef<mlir::Value> indices);
  mlir::FailureOr<mlir::Value>
  readPointwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> indices);
  mlir::LogicalResult inlineBody(mlir::linalg::LinalgOp op,
                                 llvm::ArrayRef<mlir::Value> loops,
                                 llvm::ArrayRef<mlir::Value> accumulators,
                                 llvm::SmallVectorImpl<mlir::Value> &yielded);
  mlir::LogicalResult cloneBody(mlir::Block &block,
                                llvm::ArrayRef<mlir::Value> loops,
                                mlir::IRMapping &mapping,
                                llvm::SmallVectorImpl<mlir::Value> &yielded);
  mlir::LogicalResult cloneOp(mlir::Operation &op,
                              llvm::ArrayRef<mlir::Value> loops,
                              mlir::IRMapping &mapping);
  /// A number that a body uses, of its own or from around it.
  mlir::FailureOr<mlir::Value> lookup(mlir::Value value,
                                      mlir::IRMapping &mapping);

  CodeModule &code;
  KernelOp kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> pointers;
  llvm::DenseMap<mlir::Value,
                 std::function<mlir::Value(llvm::ArrayRef<mlir::Value>)>>
      known;
  Seen seen;
  /// Numbers that are equal where the code stands.
  llvm::DenseMap<mlir::Value, mlir::Value> equal;
  /// Known once it is asked for.
  std::optional<bool> hasAsserts;
  bool followsLoops = false;
  mlir::Operation *refusal = nullptr;
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_ELEMENTREADER_H
