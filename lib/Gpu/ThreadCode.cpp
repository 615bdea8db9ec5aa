//===- ThreadCode.cpp - what a thread knows and exchanges -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCode.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

GpuGeometry memopt::getFlatGeometry(const GpuChip &chip, int64_t units) {
  constexpr int64_t threads = 256;
  GpuGeometry geometry;
  geometry.block[0] = threads;
  // 2048 threads fit a multiprocessor; twice as many even out the ends.
  int64_t most = chip.multiprocessors * 2 * (2048 / threads);
  geometry.grid[0] =
      std::clamp<int64_t>(llvm::divideCeil(units, threads), 1, most);
  return geometry;
}

Value ThreadCode::getInteger(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

template <typename RegisterOp> static Value read(OpBuilder &b, Location loc) {
  Value value = RegisterOp::create(b, loc, b.getI32Type());
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
}

Value ThreadCode::getThread() { return read<NVVM::ThreadIdXOp>(b, loc); }
Value ThreadCode::getThreadY() { return read<NVVM::ThreadIdYOp>(b, loc); }
Value ThreadCode::getBlock() { return read<NVVM::BlockIdXOp>(b, loc); }
Value ThreadCode::getBlockY() { return read<NVVM::BlockIdYOp>(b, loc); }

void ThreadCode::forEachUnit(const GpuGeometry &geometry, int64_t count,
                             function_ref<void(Value)> body) {
  Value first =
      arith::MulIOp::create(b, loc, getBlock(), getInteger(geometry.block[0]));
  first = arith::AddIOp::create(b, loc, first, getThread());
  int64_t stride = geometry.grid[0] * geometry.block[0];
  Operation *around;
  if (count <= stride) {
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         first, getInteger(count));
    around = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
  } else {
    around = scf::ForOp::create(b, loc, first, getInteger(count),
                                getInteger(stride));
    first = cast<scf::ForOp>(around).getInductionVar();
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&around->getRegion(0).front());
  body(first);
}

void ThreadCode::synchronize() { NVVM::BarrierOp::create(b, loc); }

/// One 32-bit word.
static Value exchangeWord(OpBuilder &b, Location loc, Value word,
                          int32_t mask) {
  auto constant = [&](int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                    b.getI32IntegerAttr(value));
  };
  return NVVM::ShflOp::create(b, loc, word.getType(), constant(-1), word,
                              constant(mask), constant(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value ThreadCode::exchange(Value value, int32_t mask) {
  Type type = value.getType();
  Value memory = toMemory(b, loc, value);
  Type stored = memory.getType();
  unsigned bits = stored.getIntOrFloatBitWidth();
  if (stored.isF32() || stored.isInteger(32))
    return fromMemory(b, loc, exchangeWord(b, loc, memory, mask), type);
  Type word = b.getI32Type(), whole = b.getIntegerType(bits);
  Value number = arith::BitcastOp::create(b, loc, whole, memory);
  if (bits < 32) {
    number = arith::ExtUIOp::create(b, loc, word, number);
    number = exchangeWord(b, loc, number, mask);
    number = arith::TruncIOp::create(b, loc, whole, number);
  } else {
    Value shift =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(whole, 32));
    Value low = arith::TruncIOp::create(b, loc, word, number);
    Value high = arith::TruncIOp::create(
        b, loc, word, arith::ShRUIOp::create(b, loc, number, shift));
    low =
        arith::ExtUIOp::create(b, loc, whole, exchangeWord(b, loc, low, mask));
    high =
        arith::ExtUIOp::create(b, loc, whole, exchangeWord(b, loc, high, mask));
    number = arith::OrIOp::create(b, loc, low,
                                  arith::ShLIOp::create(b, loc, high, shift));
  }
  return fromMemory(b, loc, arith::BitcastOp::create(b, loc, stored, number),
                    type);
}
