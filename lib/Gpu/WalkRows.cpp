//===- WalkRows.cpp - a group of threads a row ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "RowCode.h"
#include "Traffic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Each row is walked by the threads of a group, once. Rows whose sums take
/// their values in order only are a thread's each.
class RowWalk : public GpuWalk {
public:
  RowWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program), plan(planPasses(program)) {
    rows = getLoopList(~plan.columns &
                       ((uint64_t(1) << program.sizes.size()) - 1));
    rowCount = getCount(program, rows);
    for (const RowPass &pass : plan.passes)
      inOrder |= !pass.inAnyOrder;
    vectors = RowVectors(program, plan.columns, inOrder ? 1 : 8);
    shape = inOrder
                ? RowShape{1, 128, 0}
                : chooseRowShape(program, plan, vectors.count, vectors.width);
    int64_t blocks = llvm::divideCeil(rowCount, shape.rows);
    // A grid has up to 2^31 - 1 blocks along x.
    constexpr int64_t most = int64_t(1) << 30;
    geometry.grid[0] = std::min(blocks, most);
    geometry.grid[1] = llvm::divideCeil(blocks, most);
    geometry.block[0] = shape.group * shape.rows;
  }

  /// A row that does not stay in registers is loaded anew in each pass that
  /// needs it.
  SmallVector<GpuStage> getStages() const override {
    GpuStage stage = makeWholeStage(program, geometry);
    if (!shape.pieces) {
      llvm::erase_if(stage.loads.front(), [&](int load) {
        return program.nodes[load].loops & plan.columns;
      });
      for (const RowPass &pass : plan.passes)
        stage.loads.push_back(getLoads(program, pass.roots));
    }
    return {stage};
  }

  void emit(unsigned, KernelCode &code, Value) override {
    PointCode point(program, code.b, code.loc, code.sources);
    RowCode row(program, plan, vectors, shape, inOrder);
    Value number = findRow(code);
    row.begin(code, point, thread);
    code.place(point, rows, number);
    row.emit(code, point, rowExists);
  }

private:
  /// The row's number. Threads behind the last row do it again and write
  /// nothing, since all threads of a warp take part in sums.
  Value findRow(KernelCode &code) {
    OpBuilder &b = code.b;
    ThreadCode threads{b, code.loc};
    Value row = threads.getBlock();
    if (geometry.grid[1] > 1)
      row = code.add(row,
                     arith::MulIOp::create(b, code.loc, threads.getBlockY(),
                                           code.getInteger(geometry.grid[0])));
    thread = threads.getThread();
    if (shape.rows > 1) {
      Value group = code.getInteger(shape.group);
      row =
          arith::MulIOp::create(b, code.loc, row, code.getInteger(shape.rows));
      row = code.add(row, arith::DivUIOp::create(b, code.loc, thread, group));
      thread = arith::RemUIOp::create(b, code.loc, thread, group);
    }
    int64_t blocks = geometry.grid[0] * geometry.grid[1];
    if (blocks * shape.rows == rowCount)
      return row;
    rowExists = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                      row, code.getInteger(rowCount));
    return arith::MinSIOp::create(b, code.loc, row,
                                  code.getInteger(rowCount - 1));
  }

  const KernelProgram &program;
  RowPlan plan;
  SmallVector<unsigned> rows;
  int64_t rowCount;
  bool inOrder = false;
  RowVectors vectors;
  RowShape shape;
  GpuGeometry geometry;
  Value thread, rowExists;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuRows(const KernelProgram &program,
                                             const GpuChip &chip) {
  return std::make_unique<RowWalk>(program, chip);
}
