//===- KernelProgram.h - what a kernel computes at each point ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of elementwise ops and reductions as one graph of scalar operations
// over one nest of loops, without tensors: what the generators for the CPU and
// for GPUs read. Views, transposes, broadcasts and inits have become places at
// which buffers are read. The loops are as few as the shapes in the kernel
// allow, so that where a buffer is read is a sum of loops wherever it can be.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_KERNELPROGRAM_H
#define MEMOPT_CODEGEN_KERNELPROGRAM_H

#include "MemOpt/Codegen/IndexMath.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "llvm/ADT/MapVector.h"

namespace memopt {

/// What a node of the graph is.
enum class NodeKind : uint8_t {
  Constant,    ///< `constant`
  Undefined,   ///< an element of an empty tensor
  Scalar,      ///< the scalar that is source `source`
  Index,       ///< `index`, of type `index`
  Load,        ///< element `index` of source `source`
  Gather,      ///< the same, `index` over the values of the operands
  Compute,     ///< `op` on the operands, scalars
  Accumulator, ///< what reduction `reduction` has so far, its result `result`
  Reduced,     ///< what reduction `reduction` gives, its result `result`
};

struct ProgramNode {
  NodeKind kind;
  mlir::Type type;
  mlir::TypedAttr constant;
  int source = -1;
  mlir::AffineExpr index;
  /// Of a gather: the elements of its source where an index beyond them is to
  /// be taken back to the last of them, else 0.
  int64_t within = 0;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int> operands;
  int reduction = -1;
  unsigned result = 0;
  /// The loops on which the value depends, one bit each.
  uint64_t loops = 0;
};

/// Where elements come from: an input of the kernel by its number, or a
/// constant in the kernel.
struct ProgramSource {
  int input = -1;
  mlir::ElementsAttr data;
};

/// Results that take one value from each point of some loops: starting with the
/// inits, each becomes its update.
struct ProgramReduction {
  mlir::Operation *op;
  /// Nodes, one a result. Updates read the accumulators.
  llvm::SmallVector<int> inits, updates;
  /// The loops that are gone from the results, one bit each.
  uint64_t loops = 0;
};

/// The update of an accumulator as `op(accumulator, value)`, where `op` may
/// take values in any order: a sum, product, minimum, maximum or bit operation.
struct ReductionStep {
  mlir::Operation *op;
  int value;
};

/// `node` becomes element `index` of output `output`, at each point of the
/// loops of `index`.
struct ProgramStore {
  int output;
  mlir::AffineExpr index;
  int node;
  mlir::Location loc;
};

/// `condition`, an i1, must hold at each point of the loops on which it
/// depends.
struct ProgramAssert {
  int condition;
  llvm::StringRef message;
  mlir::Location loc;
};

struct KernelProgram {
  mlir::MLIRContext *context;
  /// The loops, outermost first. The first `rowLoops` number the rows; all do
  /// where the kernel has no rows.
  llvm::SmallVector<int64_t> sizes;
  unsigned rowLoops = 0;
  std::vector<ProgramSource> sources;
  /// Operands stand before the nodes that read them.
  std::vector<ProgramNode> nodes;
  std::vector<ProgramReduction> reductions;
  std::vector<ProgramStore> stores;
  std::vector<ProgramAssert> asserts;
  /// True where there is nothing to do: no output has an element.
  bool empty = false;

  IndexMath getMath() const { return IndexMath(context, sizes); }
  int64_t getPoints() const;
  bool hasRows() const { return rowLoops < sizes.size(); }
  /// Nothing where the update is of another form.
  std::optional<ReductionStep> getStep(const ProgramReduction &reduction,
                                       unsigned result) const;

  /// The result of the same reduction that `result` follows, as an arg-max
  /// follows a maximum: it takes a number that grows along the one reduced loop
  /// where the other strictly grows (or falls, for a minimum). In any order the
  /// least number among those that go with the maximum is the same, unless that
  /// is NaN. Nothing where the update is of another form.
  std::optional<unsigned> getFollowed(const ProgramReduction &reduction,
                                      unsigned result) const;

  void print(llvm::raw_ostream &os) const;

private:
  bool growsAlong(int node, uint64_t loops) const;
};

/// Tensors of a kernel's body that lie in memory when its loops run: by the
/// number of a source that stands for them.
using ProgramLeaves = llvm::MapVector<mlir::Value, int>;

/// True where the function around `kernel` asserts anything, which may be that
/// an index is within a tensor. A kernel may go on after a failed assertion: a
/// read at a computed index must then stay within its buffer.
bool hasAssertions(KernelOp kernel);

/// The program of a kernel of kind elementwise, row_reduction or
/// column_reduction. Fails with a diagnostic on an op that has no place in one.
/// The program refers to the kernel's ops, which must outlive it.
llvm::FailureOr<KernelProgram> buildKernelProgram(KernelOp kernel);

/// The same for `outputs`, tensors in the body of `kernel`, where `leaves` are
/// there already: the epilogue of a matrix product, whose result is a leaf.
llvm::FailureOr<KernelProgram>
buildKernelProgram(KernelOp kernel, llvm::ArrayRef<mlir::Value> outputs,
                   const ProgramLeaves &leaves);

} // namespace memopt

#endif // MEMOPT_CODEGEN_KERNELPROGRAM_H
