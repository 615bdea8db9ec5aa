//===- PartialSums.cpp - sums of which each block has a part --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSums.h"
#include "GpuWalk.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// PartialSums
//===----------------------------------------------------------------------===//

/// Sums of one kind lie side by side, each on a boundary of 64 bytes.
int64_t PartialSums::getSumBytes(Type type) const {
  return llvm::alignTo(vectors * width * getElementBytes(type), 64);
}

int64_t PartialSums::getBytesPerPart() const {
  int64_t bytes = 0;
  for (const PartialSum &sum : sums)
    bytes += getSumBytes(sum.type);
  return bytes;
}

int64_t PartialSums::getMovedPerPart() const {
  int64_t bytes = 0;
  for (const PartialSum &sum : sums)
    bytes += vectors * width * getElementBytes(sum.type);
  return bytes;
}

void PartialSums::addTo(GpuStage &stage, int64_t parts, int64_t counters,
                        int64_t counted) const {
  constexpr int64_t counterBytes = 4; // all blocks read one, and each writes it
  stage.workspaceBytes = parts * getBytesPerPart();
  stage.partialRead = parts * getMovedPerPart() + counters * counterBytes;
  stage.partialWritten = parts * getMovedPerPart() + counted * counterBytes;
}

int64_t PartialSums::getBoundary(Type element) const {
  return std::min<int64_t>(16, width * getElementBytes(element));
}

Value PartialSums::getAddress(KernelCode &code, Value workspace, Value part,
                              unsigned sum, Value vector) const {
  OpBuilder &b = code.b;
  int64_t before = 0;
  for (unsigned i = 0; i < sum; ++i)
    before += getSumBytes(sums[i].type);
  Value offset = arith::MulIOp::create(b, code.loc, part,
                                       code.getInteger(getBytesPerPart()));
  offset = arith::AddIOp::create(b, code.loc, offset, code.getInteger(before));
  Value within = arith::MulIOp::create(
      b, code.loc, vector,
      code.getInteger(width * getElementBytes(sums[sum].type)));
  offset = arith::AddIOp::create(b, code.loc, offset, within);
  return getElementAddress(b, code.loc, workspace, b.getI8Type(), offset);
}

void PartialSums::store(KernelCode &code, Value workspace, Value part,
                        Value vector, ArrayRef<Value> values) const {
  for (unsigned i = 0; i < sums.size(); ++i)
    storeElement(code.b, code.loc, values[i],
                 getAddress(code, workspace, part, i, vector),
                 getBoundary(sums[i].type));
}

SmallVector<Value> PartialSums::getNeutrals(KernelCode &code) const {
  SmallVector<Value> neutrals;
  for (const PartialSum &sum : sums)
    neutrals.push_back(
        getNeutral(code.b, code.loc, sum.op, VectorType::get(width, sum.type)));
  return neutrals;
}

SmallVector<Value> PartialSums::add(KernelCode &code, Value workspace,
                                    Value first, Value end, int64_t step,
                                    Value vector) const {
  return code.loop(
      first, end, step, getNeutrals(code), [&](Value part, ValueRange now) {
        SmallVector<Value> next;
        for (unsigned i = 0; i < sums.size(); ++i) {
          Value other = loadElement(
              code.b, code.loc, VectorType::get(width, sums[i].type),
              getAddress(code, workspace, part, i, vector),
              getBoundary(sums[i].type));
          next.push_back(
              applyOp(code.b, code.loc, sums[i].op, {now[i], other}, 0));
        }
        return next;
      });
}

//===----------------------------------------------------------------------===//
// The last block
//===----------------------------------------------------------------------===//

/// An array of words of the image, zero when it is loaded.
static Value makeCounters(KernelCode &code, StringRef name, int64_t count) {
  OpBuilder &b = code.b;
  Operation *inside = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(inside);
  if (!function)
    function = inside->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder outside(function);
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), count);
  auto global = LLVM::GlobalOp::create(
      outside, code.loc, type, /*isConstant=*/false, LLVM::Linkage::Internal,
      (function.getName() + "_" + name).str(),
      LLVM::ZeroAttr::get(b.getContext()), /*alignment=*/4, globalSpace);
  return LLVM::AddressOfOp::create(b, code.loc, global);
}

/// What other blocks see of this thread's stores and those that a barrier has
/// put before it, and this one of theirs.
static void makeFence(KernelCode &code) {
  LLVM::FenceOp::create(code.b, code.loc, LLVM::AtomicOrdering::acq_rel,
                        "device");
}

Value memopt::isLastBlock(KernelCode &code, StringRef name, int64_t counters,
                          Value number, Value count) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  ThreadCode threads{b, loc};
  Value place = getElementAddress(b, loc, makeCounters(code, name, counters),
                                  b.getI32Type(), number);
  // All stores of the block come before the barrier, that before the fence.
  threads.synchronize();
  Value thread =
      arith::OrIOp::create(b, loc, threads.getThread(), threads.getThreadY());
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        thread, code.getInteger(0));
  auto getWord = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value most = arith::TruncIOp::create(
      b, loc, b.getI32Type(),
      arith::SubIOp::create(b, loc, count, code.getInteger(1)));
  SmallVector<Value> last = code.choose(isFirst, getWord(0), [&] {
    // LLVM's backend leaves out the order that an update itself states.
    makeFence(code);
    // From its most the counter goes on with 0.
    Value before = LLVM::AtomicRMWOp::create(
        b, loc, LLVM::AtomicBinOp::uinc_wrap, place, most,
        LLVM::AtomicOrdering::monotonic, "device");
    makeFence(code);
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, most);
    return SmallVector<Value>{
        arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast)};
  });
  auto isAny = NVVM::BarrierReductionAttr::get(b.getContext(),
                                               NVVM::BarrierReduction::OR);
  Value any = NVVM::BarrierOp::create(b, loc, TypeRange{b.getI32Type()},
                                      Value(), Value(), isAny, last[0])
                  .getRes();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, any,
                               getWord(0));
}
