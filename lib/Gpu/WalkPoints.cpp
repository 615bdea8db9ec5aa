//===- WalkPoints.cpp - a thread some points ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

namespace {
/// The loops outside, the lanes' loop in vectors, the columns written out. A
/// unit is a vector at one place of the loops outside.
class PointWalk : public GpuWalk {
public:
  PointWalk(const KernelProgram &program, const GpuChip &chip)
      : program(program) {
    uint64_t rows = 0;
    unsigned first = getFirstColumn();
    for (unsigned loop = 0; loop < program.sizes.size(); ++loop)
      (loop < first ? rows : columns.loops) |= uint64_t(1) << loop;
    outer = getLoopList(rows);
    columns.count = getCount(program, getLoopList(columns.loops));
    if (!outer.empty())
      lane = outer.pop_back_val();
    size = lane >= 0 ? program.sizes[lane] : 1;
    chooseWidth();
    vectors = llvm::divideCeil(size, width);
    units = getCount(program, outer) * vectors;
    geometry = getFlatGeometry(chip, units);
  }

  SmallVector<GpuStage> getStages() const override { return {{"", geometry}}; }

  void emit(unsigned, KernelCode &code, Value) override {
    PointCode point(program, code.b, code.loc, code.sources);
    point.columns = columns;
    ThreadCode threads{code.b, code.loc};
    threads.forEachUnit(geometry, units, [&](Value unit) {
      Value first = code.takePiece(unit, vectors, width);
      point.pushScope();
      code.place(point, outer, unit);
      emitVector(code, point, first);
      point.popScope();
    });
  }

private:
  /// Rows that are reduced are columns whatever their length; without any,
  /// trailing loops as long as together they are short.
  unsigned getFirstColumn() const {
    if (program.hasRows())
      return program.rowLoops;
    unsigned first = program.sizes.size();
    int64_t count = 1;
    while (first > 1 && count * program.sizes[first - 1] <= maxGpuColumns)
      count *= program.sizes[--first];
    return first;
  }

  /// 16 bytes a thread, and no more values at once than registers are cheap.
  /// Where the lanes' loop starts anew at places that are no multiple of them,
  /// vectors would be cut in two: then they are shorter.
  void chooseWidth() {
    if (lane < 0)
      return;
    if (columns.count > 1) {
      width = int64_t(llvm::bit_floor(
          uint64_t(std::max<int64_t>(1, maxGpuColumns / columns.count))));
    } else {
      width = getGpuWidth(program, lane, /*most=*/16);
    }
    if (getCount(program, outer) > 1)
      while (size % width)
        width /= 2;
    while (width > size)
      width /= 2;
  }

  /// Lanes [first, first + width) as far as they exist.
  void emitVector(KernelCode &code, PointCode &point, Value first) {
    if (lane < 0)
      return emitPoint(code, point);
    int64_t rest = size % width, even = size - rest;
    if (!rest)
      return emitLanes(code, point, first, width);
    OpBuilder &b = code.b;
    auto isWhole = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt,
                                         first, code.getInteger(even));
    code.when(isWhole, [&] { emitLanes(code, point, first, width); });
    auto isRest = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq,
                                        first, code.getInteger(even));
    code.when(isRest,
              [&] { emitLanes(code, point, code.getInteger(even), rest); });
  }

  void emitLanes(KernelCode &code, PointCode &point, Value at, int64_t valid) {
    point.position[lane] = at;
    point.lanes = {lane, width, valid, /*aligned=*/true};
    emitPoint(code, point);
    point.lanes = {};
  }

  void emitPoint(KernelCode &code, PointCode &point) {
    point.pushScope();
    for (const ProgramAssert &check : program.asserts)
      forEachColumn(point, program.nodes[check.condition].loops,
                    [&] { point.check(check); });
    // Everything is read before anything is written.
    SmallVector<SmallVector<Value>> values;
    for (const ProgramStore &store : program.stores) {
      values.emplace_back();
      forEachColumn(point, IndexMath::getLoops(store.index),
                    [&] { values.back().push_back(point.get(store.node)); });
    }
    for (auto [store, value] : llvm::zip_equal(program.stores, values))
      point.store(store, code.outputs[store.output], value);
    point.popScope();
  }

  void forEachColumn(PointCode &point, uint64_t loops,
                     function_ref<void()> callback) {
    if (!(loops & columns.loops))
      return callback();
    for (int64_t c = 0; c < columns.count; ++c) {
      point.enterColumn(c);
      callback();
    }
    point.enterColumn(-1);
  }

  const KernelProgram &program;
  Columns columns;
  SmallVector<unsigned> outer;
  int lane = -1;
  int64_t size = 1, width = 1, vectors = 1, units = 1;
  GpuGeometry geometry;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuPoints(const KernelProgram &program,
                                               const GpuChip &chip) {
  return std::make_unique<PointWalk>(program, chip);
}
