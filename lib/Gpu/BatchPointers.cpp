//===- BatchPointers.cpp - where the matrices of batches lie --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchPointers.h"
#include "MemOpt/Codegen/Memory.h"
#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace memopt;

bool BatchPointers::isNeeded(const gpu::Product &product) {
  return !product.outer.empty() && product.outer.size() < mostLoops;
}

int64_t BatchPointers::add(const gpu::Product &product,
                           ArrayRef<int64_t> places) {
  int64_t begin = 8 * count;
  int64_t types[] = {product.aType, product.bType, product.cType};
  const gpu::ProductOperand *operands[] = {&product.a, &product.b, &product.c};
  int64_t points = product.batch * product.getOuterPoints();
  for (int x = 0; x < 3; ++x) {
    int64_t bytes = gpu::getElementBytes(types[x]);
    Row row{count, points, places[x], {1, 1, 1}, {0, 0, 0}};
    unsigned at = mostLoops - 1;
    row.sizes[at] = product.batch;
    row.strides[at] = operands[x]->batchStride * bytes;
    for (const gpu::OuterBatch &loop : llvm::reverse(product.outer)) {
      row.sizes[--at] = loop.size;
      row.strides[at] = loop.strides[x] * bytes;
    }
    rows.push_back(row);
    count += points;
  }
  most = std::max(most, points);
  return begin;
}

LLVM::GlobalOp BatchPointers::createTable(CodeModule &device,
                                          Location loc) const {
  SmallVector<int64_t> numbers;
  for (const Row &row : rows) {
    numbers.append({row.first, row.count, row.place});
    numbers.append(row.sizes, row.sizes + mostLoops);
    numbers.append(row.strides, row.strides + mostLoops);
  }
  OpBuilder b = OpBuilder::atBlockBegin(device.getModule().getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), numbers.size());
  auto value = DenseElementsAttr::get(
      RankedTensorType::get(int64_t(numbers.size()), b.getI64Type()),
      ArrayRef<int64_t>(numbers));
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, "batch_addresses_of",
                                value, /*alignment=*/8, globalSpace);
}

/// Address `unit % most` of row `unit / most`, if the row has so many.
void BatchPointers::writeAddress(OpBuilder &b, Location loc, Value table,
                                 Value unit, ValueRange pointers) const {
  ThreadCode threads{b, loc};
  Type i64 = b.getI64Type();
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  Value perRow = threads.getInteger(most);
  Value row = arith::DivUIOp::create(b, loc, unit, perRow);
  Value point = arith::RemUIOp::create(b, loc, unit, perRow);
  row = multiply(row, threads.getInteger(words));
  auto getWord = [&](int64_t word) {
    Value at = add(row, threads.getInteger(word));
    return loadElement(b, loc, i64, getElementAddress(b, loc, table, i64, at));
  };
  Value first = getWord(0),
        exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, point,
                                       getWord(1));
  Value address =
      add(LLVM::PtrToIntOp::create(b, loc, i64, pointers[0]), getWord(2));
  Value rest = point;
  for (unsigned loop = mostLoops; loop-- > 0;) {
    Value size = getWord(3 + loop), stride = getWord(3 + mostLoops + loop);
    Value index = arith::RemUIOp::create(b, loc, rest, size);
    rest = arith::DivUIOp::create(b, loc, rest, size);
    address = add(address, multiply(index, stride));
  }
  auto branch = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeElement(b, loc, address,
               getElementAddress(b, loc, pointers[1], i64, add(first, point)));
}

void BatchPointers::emit(GpuLauncher &launcher, Location loc, Value arena,
                         Value target) const {
  GpuModule &gpu = launcher.getModule();
  int64_t units = most * int64_t(rows.size());
  GpuGeometry geometry = getFlatGeometry(gpu.chip, units);
  SmallVector<GpuParameter> parameters{{arena, 0, /*alone=*/false},
                                       {target, -getBytes()}};
  LLVM::GlobalOp table = createTable(gpu.device, loc);
  LLVM::LLVMFuncOp function = launcher.create(
      loc, "addresses of batches", "batch_addresses", parameters, geometry);
  OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
  Value begin = LLVM::AddressOfOp::create(b, loc, table);
  ThreadCode{b, loc}.forEachUnit(geometry, units, [&](Value unit) {
    writeAddress(b, loc, begin, unit, function.getArguments());
  });
  LLVM::ReturnOp::create(b, loc, ValueRange());
  launcher.launch(loc, function, geometry, parameters);
  int64_t read = 8 * words * int64_t(rows.size()), written = getBytes();
  gpu.launches.push_back(
      {function.getName().str(), "addresses", {read, written, read, written}});
}
