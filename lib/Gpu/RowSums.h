//===- RowSums.h - sums over a row ------------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_ROWSUMS_H
#define MEMOPT_LIB_GPU_ROWSUMS_H

#include "GroupSum.h"
#include "MemOpt/Codegen/RowPasses.h"

namespace memopt {

/// The sums of a pass over a row that threads walk together: vectors of lanes
/// in each thread, in order of reductions and their results.
class RowSums {
public:
  /// `group` threads a row and `rows` rows a block, `width` lanes a thread.
  /// `inOrder`: the row is one thread's, and sums are numbers that take their
  /// values in order.
  RowSums(const KernelProgram &program, int64_t group, int64_t rows,
          int64_t width, bool inOrder)
      : program(program), group(group), rows(rows), width(width),
        inOrder(inOrder) {}

  /// Tells apart several of them in one kernel.
  void setName(llvm::StringRef other) { name = other.str(); }
  /// What each thread starts from.
  llvm::SmallVector<mlir::Value> getStart(KernelCode &code, PointCode &point,
                                          const RowPass &pass);
  /// The sums with the values where `point` stands, unless `exists` (null:
  /// always) does not hold.
  llvm::SmallVector<mlir::Value> update(KernelCode &code, PointCode &point,
                                        const RowPass &pass, mlir::Value exists,
                                        mlir::ValueRange sums);
  /// Those of all threads of the row together, as numbers.
  llvm::SmallVector<mlir::Value> addThreads(KernelCode &code,
                                            const RowPass &pass,
                                            llvm::ArrayRef<mlir::Value> sums);
  /// The results of the pass's reductions from those of all threads.
  llvm::SmallVector<mlir::Value> finish(KernelCode &code, PointCode &point,
                                        const RowPass &pass,
                                        llvm::ArrayRef<mlir::Value> sums);
  /// Makes the results known.
  void bind(PointCode &point, const RowPass &pass, NodeKind kind,
            mlir::ValueRange values);

private:
  void forEach(
      const RowPass &pass,
      llvm::function_ref<void(const ProgramReduction &, int number, unsigned i)>
          callback);
  bool follows(const RowPass &pass, int number) const {
    return llvm::is_contained(pass.followers, number);
  }
  mlir::Value getFirstPlace(KernelCode &code, mlir::Value total,
                            mlir::Value tops, mlir::Value places);
  /// Where a maximum is NaN its place depends on the order: each thread walks
  /// the row again, in order.
  llvm::SmallVector<mlir::Value> repair(KernelCode &code, PointCode &point,
                                        const RowPass &pass,
                                        llvm::SmallVector<mlir::Value> results);
  llvm::SmallVector<mlir::Value> walkInOrder(KernelCode &code, PointCode &point,
                                             const RowPass &pass);
  std::string getName() { return name + std::to_string(places++); }

  const KernelProgram &program;
  int64_t group, rows, width;
  bool inOrder;
  /// Of what lies in shared memory.
  std::string name = "sums";
  int places = 0;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_ROWSUMS_H
