//===- BatchPointers.h - where the matrices of batches lie ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The heads of an attention lie side by side in each row, so that no one stride
// leads through images and heads. cuBLASLt takes such batches as arrays of
// addresses. All lie in the arena, so their distances from its beginning are
// known here: one kernel at the step's beginning writes the addresses.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_BATCHPOINTERS_H
#define MEMOPT_LIB_GPU_BATCHPOINTERS_H

#include "GpuKernelBuilder.h"
#include "MemOpt/Runtime/GpuProduct.h"

namespace memopt {

class BatchPointers {
public:
  /// Whether a product's batches need an array and can have one.
  static bool isNeeded(const gpu::Product &product);

  /// An array for a product whose operands lie at these bytes of the arena;
  /// gives the byte of all arrays at which it begins.
  int64_t add(const gpu::Product &product, llvm::ArrayRef<int64_t> places);
  int64_t getBytes() const { return 8 * count; }

  /// Launches the kernel that writes them to `target`.
  void emit(GpuLauncher &launcher, mlir::Location loc, mlir::Value arena,
            mlir::Value target) const;

private:
  static constexpr unsigned mostLoops = 3;
  /// The addresses of one operand. All but counts are bytes.
  struct Row {
    int64_t first, count, place;
    int64_t sizes[mostLoops], strides[mostLoops]; // the last loop fastest
  };
  static constexpr int64_t words = sizeof(Row) / sizeof(int64_t);
  mlir::LLVM::GlobalOp createTable(CodeModule &device,
                                   mlir::Location loc) const;
  void writeAddress(mlir::OpBuilder &b, mlir::Location loc, mlir::Value table,
                    mlir::Value unit, mlir::ValueRange pointers) const;

  llvm::SmallVector<Row> rows;
  int64_t count = 0, most = 0;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_BATCHPOINTERS_H
