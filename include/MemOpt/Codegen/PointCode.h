//===- PointCode.h - the code of a program at one point ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_POINTCODE_H
#define MEMOPT_CODEGEN_POINTCODE_H

#include "MemOpt/Codegen/KernelProgram.h"
#include "mlir/IR/Builders.h"

namespace memopt {

/// Neighbouring iterations of one loop that are computed as one vector. Lanes
/// from `valid` on lie behind the loop's end.
struct Lanes {
  int loop = -1; // none: numbers instead of vectors
  int64_t width = 1, valid = 1;
  /// Lanes of a GPU. The first one is a multiple of `width`, and buffers start
  /// on boundaries of 64 bytes: accesses that are surely aligned are marked so.
  /// Others go lane by lane, since there are no masked ones.
  bool aligned = false;

  bool areAll() const { return valid == width; }
};

/// Loops of few iterations that are written out: what they compute is there for
/// each column at once.
struct Columns {
  uint64_t loops = 0;
  int64_t count = 1;
};

/// Writes the values of a program's nodes where the loops stand: vectors for
/// those that depend on the loop of the lanes, numbers for the others.
class PointCode {
public:
  /// `sources` are pointers to the program's sources.
  PointCode(const KernelProgram &program, mlir::OpBuilder &b,
            mlir::Location loc, mlir::ValueRange sources);

  /// Where the loops stand, as i64; for the loop of the lanes the first lane.
  llvm::SmallVector<mlir::Value> position;
  Lanes lanes;
  Columns columns;

  /// Stands at column `column`; -1 for none.
  void enterColumn(int64_t column);
  int64_t getColumn() const { return column; }
  /// Values that depend on columns belong to piece `piece` from here on, and
  /// are known there only; the caller sets the positions. -1 for none.
  void enterPiece(int64_t piece) { column = piece; }

  /// Values written from here on are forgotten at the matching `popScope`.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  /// The value of a node here.
  mlir::Value get(int node);
  /// The same as a vector, where there are lanes.
  mlir::Value getWide(int node) { return widen(get(node)); }
  void bind(int node, mlir::Value value);
  /// Writes what `roots` need and depends on no other loops than `loops`.
  void hoist(llvm::ArrayRef<int> roots, uint64_t loops);

  /// Writes `values`, one for each column, or just one where the store does not
  /// depend on columns, to `buffer`.
  void store(const ProgramStore &store, mlir::Value buffer,
             llvm::ArrayRef<mlir::Value> values);
  /// Asserts that the condition holds in the lanes that exist.
  void check(const ProgramAssert &check);

  /// Loads or stores `width` neighbours in `buffer` from element `offset` on.
  mlir::Value loadRow(mlir::Value buffer, mlir::Type element,
                      mlir::Value offset);
  void storeRow(mlir::Value buffer, mlir::Value value, mlir::Value offset);

  mlir::Value widen(mlir::Value value);
  /// `op` on values: numbers or vectors alike, f16 and bf16 through f32.
  mlir::Value apply(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                    unsigned result = 0);
  mlir::Value getInteger(int64_t value);
  /// An index over the loops as an i64 or a vector of them.
  mlir::Value getOffset(mlir::AffineExpr index);
  /// A constant for which lanes are valid; null where all are.
  mlir::Value getMask(int64_t width, int64_t valid);

private:
  mlir::Value compute(int number);
  mlir::Value load(int number);
  mlir::Value gather(const ProgramNode &node);
  mlir::Value loadAt(mlir::Value buffer, mlir::Type element,
                     mlir::Value offsets);
  /// A load of which each lane reads all columns, one after the other.
  mlir::Value loadBlock(int number, const LinearIndex &index);
  bool isBlock(const LinearIndex &index) const;
  mlir::Value reduceColumns(int number);
  mlir::Value getTerm(mlir::AffineExpr atom);
  /// Lanes from `valid` on are not touched. `alignment` is that of the whole
  /// vector, in bytes.
  mlir::Value loadVector(mlir::Value address, mlir::Type element, int64_t width,
                         int64_t valid, int64_t alignment);
  void storeVector(mlir::Value value, mlir::Value address, int64_t valid,
                   int64_t alignment);
  /// The boundary, in bytes, on which the first lane of an access surely lies.
  int64_t getAlignment(const LinearIndex &index, mlir::Type element) const;
  void storeBlock(const ProgramStore &store, LinearIndex index,
                  mlir::Value buffer, llvm::ArrayRef<mlir::Value> values);
  void storeAt(mlir::Value buffer, mlir::Value value, mlir::Value offsets);
  bool isWide(uint64_t loops) const {
    return lanes.loop >= 0 && (loops >> lanes.loop & 1);
  }
  std::pair<int, int64_t> getKey(int node) const;

  const KernelProgram &program;
  IndexMath math;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> sources;
  int64_t column = -1;
  std::vector<llvm::DenseMap<std::pair<int, int64_t>, mlir::Value>> scopes;
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_POINTCODE_H
