//===- RowCode.h - what threads do with a row -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_ROWCODE_H
#define MEMOPT_LIB_GPU_ROWCODE_H

#include "RowShape.h"
#include "RowSums.h"

namespace memopt {

/// The columns of a program's rows as vectors.
struct RowVectors {
  llvm::SmallVector<unsigned> columns; ///< loops, outermost first
  unsigned lane = 0;                   ///< the last of them
  int64_t width = 1, count = 1;        ///< lanes a vector, vectors a row

  /// `mostWidth`: of lanes.
  RowVectors(const KernelProgram &program, uint64_t loops, int64_t mostWidth);
  RowVectors() = default;

  /// Stands at vector `number` of the row.
  void enter(KernelCode &code, PointCode &point, mlir::Value number) const;
};

/// Walks a row in passes, as on the CPU; what a pass needs of an earlier one is
/// in registers where the row fits, else it is computed again.
class RowCode {
public:
  RowCode(const KernelProgram &program, const RowPlan &plan,
          const RowVectors &vectors, const RowShape &shape, bool inOrder)
      : program(program), plan(plan), vectors(vectors), shape(shape),
        inOrder(inOrder),
        sums(program, shape.group, shape.rows, vectors.width, inOrder) {}

  /// `thread` is this one's number among those of the row.
  void begin(KernelCode &code, PointCode &point, mlir::Value thread);
  /// Reads what all rows read, here once for all.
  void loadShared(KernelCode &code, PointCode &point);
  /// All of a row, where the loops of rows stand; what it writes, unless
  /// `rowExists` (null: always) does not hold.
  void emit(KernelCode &code, PointCode &point, mlir::Value rowExists);

  /// Stands at each piece that a thread has in registers.
  using PieceBody = llvm::function_ref<void(int64_t piece, mlir::Value exists)>;
  void forEachPiece(KernelCode &code, PointCode &point, PieceBody body);
  /// The vector of the row that is a piece; behind the last one that one.
  mlir::Value getVector(int64_t piece) const { return pieces[piece].vector; }

private:
  /// The part of a row that a thread has at one time.
  struct Piece {
    mlir::Value vector;
    mlir::Value exists; ///< null where it always does
  };
  Piece makePiece(KernelCode &code, int64_t number);
  void enter(KernelCode &code, PointCode &point, mlir::Value vector);
  void leave(PointCode &point);
  void whenExists(KernelCode &code, mlir::Value exists,
                  llvm::function_ref<void()> body);
  void storeRow(KernelCode &code, PointCode &point);
  void emitPass(KernelCode &code, PointCode &point, const RowPass &pass);
  void loadAhead(KernelCode &code, PointCode &point);
  llvm::SmallVector<mlir::Value> walkPieces(KernelCode &code, PointCode &point,
                                            const RowPass &pass,
                                            llvm::SmallVector<mlir::Value> now);
  llvm::SmallVector<mlir::Value> walkRow(KernelCode &code, PointCode &point,
                                         const RowPass &pass,
                                         mlir::ValueRange start);
  llvm::SmallVector<mlir::Value> emitVector(KernelCode &code, PointCode &point,
                                            const RowPass &pass,
                                            mlir::Value exists,
                                            mlir::ValueRange now);

  const KernelProgram &program;
  const RowPlan &plan;
  const RowVectors &vectors;
  const RowShape &shape;
  bool inOrder;
  RowSums sums;
  mlir::Value thread, rowExists;
  llvm::SmallVector<Piece> pieces;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_ROWCODE_H
