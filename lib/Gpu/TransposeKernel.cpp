//===- TransposeKernel.cpp - copies through shared memory -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"
#include "GroupSum.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// Elements of a tile's side, of which a thread has every eighth.
static constexpr int64_t side = 32, down = 8;
/// Below this a tile would be mostly empty.
static constexpr int64_t narrow = 8;

static bool isTiled(const Transposition &t, unsigned loop) {
  return loop == t.along || loop + 1 == t.loops.size();
}

int64_t Transposition::getTiles() const {
  int64_t tiles = 1;
  for (unsigned i = 0; i < loops.size(); ++i)
    tiles *= isTiled(*this, i) ? llvm::divideCeil(loops[i].size, side)
                               : loops[i].size;
  return tiles;
}

std::optional<Transposition>
memopt::findTransposition(ArrayRef<GatherLoop> joined) {
  if (joined.size() < 2 || joined.back().stride == 1 ||
      joined.back().stride == 0 || joined.back().size < narrow)
    return std::nullopt;
  for (unsigned i = 0; i + 1 < joined.size(); ++i)
    if (joined[i].stride == 1 && joined[i].size >= narrow)
      return Transposition{SmallVector<GatherLoop>(joined), i};
  return std::nullopt;
}

GpuGeometry memopt::getTransposeGeometry(const Transposition &transposition) {
  GpuGeometry geometry;
  geometry.grid[0] = transposition.getTiles();
  geometry.block[0] = side;
  geometry.block[1] = down;
  return geometry;
}

namespace {
/// Writes the code of a block.
class TileCode {
public:
  TileCode(OpBuilder &b, Location loc, const Transposition &t, Type element,
           ValueRange pointers)
      : b(b), loc(loc), t(t), element(element), pointers(pointers),
        threads{b, loc} {}

  void write() {
    placeTile();
    // One column more than needed: a column of the tile then lies in 32 banks.
    tile = makeShared(b, loc, "tile", element, side * (side + 1));
    Value x = threads.getThread(), y = threads.getThreadY();
    forEachRow(t.along, x, t.loops.size() - 1, y, [&](Value row) {
      Value value = load(pointers[0], getSource(x, row));
      store(tile, getTileOffset(row, x), value);
    });
    threads.synchronize();
    forEachRow(t.loops.size() - 1, x, t.along, y, [&](Value row) {
      Value value = load(tile, getTileOffset(x, row));
      store(pointers[1], getTarget(row, x), value);
    });
  }

private:
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, int64_t y) {
    return arith::MulIOp::create(b, loc, x, threads.getInteger(y));
  }
  Value load(Value buffer, Value offset) {
    return loadElement(b, loc, element,
                       getElementAddress(b, loc, buffer, element, offset));
  }
  void store(Value buffer, Value offset, Value value) {
    storeElement(b, loc, value,
                 getElementAddress(b, loc, buffer, element, offset));
  }

  /// Where the loops begin for this block, and the offsets of the others.
  void placeTile() {
    Value rest = threads.getBlock();
    sourceBase = targetBase = threads.getInteger(0);
    starts.resize(t.loops.size());
    int64_t targetStride = 1;
    targetStrides.resize(t.loops.size());
    for (unsigned i = t.loops.size(); i-- > 0;) {
      const GatherLoop &loop = t.loops[i];
      targetStrides[i] = targetStride;
      targetStride *= loop.size;
      int64_t count =
          isTiled(t, i) ? llvm::divideCeil(loop.size, side) : loop.size;
      Value size = threads.getInteger(count);
      Value at = arith::RemUIOp::create(b, loc, rest, size);
      rest = arith::DivUIOp::create(b, loc, rest, size);
      if (isTiled(t, i))
        at = mul(at, side);
      starts[i] = at;
      sourceBase = add(sourceBase, mul(at, loop.stride));
      targetBase = add(targetBase, mul(at, targetStrides[i]));
    }
  }

  /// `along` + x of the source, `last` + row.
  Value getSource(Value x, Value row) {
    return add(add(sourceBase, x), mul(row, t.loops.back().stride));
  }
  Value getTarget(Value row, Value x) {
    return add(add(targetBase, mul(row, targetStrides[t.along])), x);
  }
  Value getTileOffset(Value last, Value along) {
    return add(mul(last, side + 1), along);
  }

  /// Null where all of a loop's tiles are whole.
  Value exists(unsigned loop, Value within) {
    int64_t size = t.loops[loop].size;
    if (size % side == 0)
      return {};
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                 add(starts[loop], within),
                                 threads.getInteger(size));
  }

  /// The rows y, y + 8, ... of a tile, as far as element (x, row) is one:
  /// numbers within the tile, of loops `ofX` and `ofRow`.
  void forEachRow(unsigned ofX, Value x, unsigned ofRow, Value y,
                  function_ref<void(Value)> body) {
    Value xExists = exists(ofX, x);
    for (int64_t i = 0; i < side; i += down) {
      Value row = add(y, threads.getInteger(i));
      Value condition = exists(ofRow, row);
      if (xExists)
        condition =
            condition ? Value(arith::AndIOp::create(b, loc, xExists, condition))
                      : xExists;
      if (!condition) {
        body(row);
        continue;
      }
      auto branch = scf::IfOp::create(b, loc, condition, false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      body(row);
    }
  }

  OpBuilder &b;
  Location loc;
  const Transposition &t;
  Type element;
  ValueRange pointers;
  ThreadCode threads;
  Value tile, sourceBase, targetBase;
  SmallVector<Value> starts;
  SmallVector<int64_t> targetStrides;
};
} // namespace

void memopt::emitTransposeKernel(OpBuilder &b, Location loc,
                                 const Transposition &transposition,
                                 Type element, ValueRange pointers) {
  TileCode(b, loc, transposition, element, pointers).write();
}
