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
      : program(program), loops(getPointLoops(program)) {
    chooseWidth();
    vectors = llvm::divideCeil(loops.size, width);
    units = getCount(program, loops.outer) * vectors;
    geometry = getFlatGeometry(chip, units);
  }

  SmallVector<GpuStage> getStages() const override {
    return {makeWholeStage(program, geometry)};
  }

  void emit(unsigned, KernelCode &code, Value) override {
    PointCode point(program, code.b, code.loc, code.sources);
    point.columns = loops.columns;
    ThreadCode threads{code.b, code.loc};
    threads.forEachUnit(geometry, units, [&](Value unit) {
      Value first = code.takePiece(unit, vectors, width);
      point.pushScope();
      code.place(point, loops.outer, unit);
      emitVector(code, point, first);
      point.popScope();
    });
  }

private:
  /// 16 bytes a thread, and no more values at once than registers are cheap.
  /// Where the lanes' loop starts anew at places that are no multiple of them,
  /// vectors would be cut in two: then they are shorter.
  void chooseWidth() {
    if (loops.lane < 0)
      return;
    if (loops.columns.count > 1) {
      width = int64_t(llvm::bit_floor(
          uint64_t(std::max<int64_t>(1, maxColumns / loops.columns.count))));
    } else {
      width = getGpuWidth(program, loops.lane, /*most=*/16);
    }
    if (getCount(program, loops.outer) > 1)
      while (loops.size % width)
        width /= 2;
    while (width > loops.size)
      width /= 2;
  }

  /// Lanes [first, first + width) as far as they exist.
  void emitVector(KernelCode &code, PointCode &point, Value first) {
    if (loops.lane < 0)
      return emitPoint(code, point);
    int64_t rest = loops.size % width, even = loops.size - rest;
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
    point.position[loops.lane] = at;
    point.lanes = {loops.lane, width, valid, /*aligned=*/true};
    emitPoint(code, point);
    point.lanes = {};
  }

  const KernelProgram &program;
  const PointLoops loops;
  int64_t width = 1, vectors = 1, units = 1;
  GpuGeometry geometry;
};
} // namespace

std::unique_ptr<GpuWalk> memopt::walkGpuPoints(const KernelProgram &program,
                                               const GpuChip &chip) {
  return std::make_unique<PointWalk>(program, chip);
}
