//===- ProductEmitter.h - a product and what surrounds it -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction becomes calls of memopt_gpu_gemm. In front of them, operands
// that are no matrices are gathered into the workspace; behind them, a kernel
// makes the outputs from the product. The product lies in an output of its own
// type until then, else in the workspace. What does not fit there at once is
// done in pieces, one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PRODUCTEMITTER_H
#define MEMOPT_LIB_GPU_PRODUCTEMITTER_H

#include "ElementKernel.h"
#include "MemOpt/Codegen/ProductOutputs.h"
#include "ProductPlan.h"

namespace memopt {

class ProductEmitter {
public:
  ProductEmitter(GpuKernelBuilder &builder, mlir::linalg::LinalgOp op,
                 const ProductShape &shape);

  /// Fails, with the reason and code left behind, where there is no such way.
  llvm::LogicalResult emit(std::string &why);

private:
  mlir::Type getElement(mlir::Value value) {
    return getElementTypeOrSelf(value.getType());
  }
  /// Types of a, b and c; operands to be converted are marked as computed.
  void chooseTypes();
  /// A bias that the product adds: `result` becomes the sum with it.
  void findBias();
  /// Where the product lies, and what is left to be made from it.
  void chooseDestination();
  bool isFree(unsigned output);
  bool chooseRounded();
  llvm::LogicalResult choosePlan(std::string &why);
  llvm::LogicalResult placeInWorkspace(std::string &why);
  llvm::LogicalResult makeOperands(std::string &why);

  /// Bytes of the workspace for a piece, and those of them for operand x.
  int64_t getBytes(const ProductPlan &plan);
  int64_t getBytes(const ProductPlan &plan, int x);
  llvm::LogicalResult emitPieces(const ProductPlan &plan, std::string &why);
  llvm::LogicalResult split(const ProductPlan &plan, std::string &why);
  llvm::LogicalResult emitPiece(const ProductPlan &plan, std::string &why);
  GpuAddress getOperand(const ProductPlan &plan, int x, int64_t &place);
  void emitCall(const ProductPlan &plan, llvm::ArrayRef<GpuAddress> operands,
                int64_t place);
  llvm::LogicalResult emitBehind(std::string &why);

  llvm::LogicalResult refuse(mlir::Operation *refusal, std::string &why);

  GpuKernelBuilder &builder;
  KernelOp kernel;
  mlir::linalg::LinalgOp op;
  ProductShape shape;
  bool fromZero;
  /// What lies in memory behind the product: the op's result, or that and a
  /// bias.
  mlir::Value result;
  std::optional<StridedView> bias;
  /// Of the elements of a, b and c.
  mlir::Type elements[3];
  bool isComputed[2];
  GpuAddress bases[2];
  Outputs outputs;
  /// Null where the product lies in pieces of the workspace.
  GpuAddress destination;
  bool inWorkspace = false;
  llvm::SmallVector<unsigned> behind;
  ProductPlan plan;
  /// A piece of the product has been written.
  bool hasBegun = false;
  /// Bytes of the workspace: taken for the whole product, and those that may
  /// be taken in all. What cuBLASLt works in lies behind them.
  int64_t used = 0;
  const int64_t capacity;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PRODUCTEMITTER_H
