//===- Instrument.cpp - loads and stores through the emulator -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Rewrite.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace memopt::emulator;
using namespace llvm;

namespace {

/// A pointer that an instruction reads or writes through.
struct Place {
  Use *pointer;
  Value *bytes;
  AccessFlags flags;
};

class Instrumenter {
public:
  Instrumenter(Function &function, bool isKernel, bool checks)
      : function(function), data(function.getParent()->getDataLayout()),
        isKernel(isKernel), checks(checks) {}

  void run() {
    // First all, since what is added has accesses of its own.
    std::vector<std::pair<Instruction *, std::vector<Place>>> work;
    std::vector<FenceInst *> fences;
    for (Instruction &instruction : instructions(function)) {
      if (auto *fence = dyn_cast<FenceInst>(&instruction))
        fences.push_back(fence);
      std::vector<Place> places = findPlaces(instruction);
      if (!places.empty())
        work.emplace_back(&instruction, std::move(places));
    }
    for (auto &[instruction, places] : work)
      for (Place &place : places)
        rewrite(*instruction, place);
    if (checks)
      for (FenceInst *fence : fences)
        noteFence(*fence);
  }

private:
  Value *sizeOf(Type *type) {
    return ConstantInt::get(Type::getInt64Ty(function.getContext()),
                            data.getTypeStoreSize(type));
  }

  std::vector<Place> findPlaces(Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return {{&load->getOperandUse(0), sizeOf(load->getType()),
               makeFlags(*load, true, false, load->getOrdering())}};
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return {{&store->getOperandUse(1),
               sizeOf(store->getValueOperand()->getType()),
               makeFlags(*store, false, true, store->getOrdering())}};
    // LLVM's backend leaves the order of an update out of the PTX, but not that
    // of an exchange.
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      return {{&update->getOperandUse(0),
               sizeOf(update->getValOperand()->getType()),
               makeFlags(*update, true, true, AtomicOrdering::Monotonic)}};
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return {
          {&exchange->getOperandUse(0),
           sizeOf(exchange->getNewValOperand()->getType()),
           makeFlags(*exchange, true, true, exchange->getSuccessOrdering())}};
    if (auto *memory = dyn_cast<MemIntrinsic>(&instruction))
      return findCopied(*memory);
    return {};
  }

  /// Whether what a scope orders is so to other blocks.
  bool reachesBlocks(SyncScope::ID scope) const {
    return scope == SyncScope::System ||
           scope == function.getContext().getOrInsertSyncScopeID("device");
  }

  template <typename Access>
  AccessFlags makeFlags(const Access &access, bool reads, bool writes,
                        AtomicOrdering ordering) const {
    AccessFlags flags{reads, writes, Log2(access.getAlign())};
    flags.isAtomic =
        access.isAtomic() && reachesBlocks(*getAtomicSyncScopeID(&access));
    if (flags.isAtomic)
      flags.order = {reads && isAcquireOrStronger(ordering),
                     writes && isReleaseOrStronger(ordering)};
    return flags;
  }

  void noteFence(FenceInst &fence) {
    if (!reachesBlocks(fence.getSyncScopeID()))
      return;
    IRBuilder<> b(&fence);
    FunctionCallee callee = function.getParent()->getOrInsertFunction(
        "memopt_emulator_fence",
        FunctionType::get(b.getVoidTy(), {b.getInt32Ty()}, false));
    AtomicOrdering ordering = fence.getOrdering();
    uint32_t order = uint32_t(isAcquireOrStronger(ordering)) |
                     uint32_t(isReleaseOrStronger(ordering)) << 1;
    b.CreateCall(callee, {b.getInt32(order)});
  }

  std::vector<Place> findCopied(MemIntrinsic &memory) {
    std::vector<Place> places = {
        {&memory.getRawDestUse(), memory.getLength(), {false, true}}};
    if (auto *copy = dyn_cast<MemTransferInst>(&memory))
      places.push_back(
          {&copy->getRawSourceUse(), copy->getLength(), {true, false}});
    return places;
  }

  /// The number, from 1, of the parameter that a pointer comes from; 0 where it
  /// comes from several or none.
  uint32_t findOperand(Value *pointer, bool &isLocal) {
    SmallVector<const Value *> objects;
    getUnderlyingObjects(pointer, objects, nullptr, 0);
    isLocal =
        all_of(objects, [](const Value *v) { return isa<AllocaInst>(v); });
    auto *argument =
        objects.size() == 1 ? dyn_cast<Argument>(objects[0]) : nullptr;
    return argument && isKernel ? argument->getArgNo() + 1 : 0;
  }

  Value *callCheck(IRBuilder<> &b, Value *address, const Place &place) {
    FunctionCallee callee = function.getParent()->getOrInsertFunction(
        "memopt_emulator_access",
        FunctionType::get(b.getPtrTy(),
                          {b.getPtrTy(), b.getInt64Ty(), b.getInt32Ty()},
                          false));
    return b.CreateCall(
        callee, {address, b.CreateZExtOrTrunc(place.bytes, b.getInt64Ty()),
                 b.getInt32(place.flags.encode())});
  }

  /// Device addresses to where their contents are, others as they are.
  Value *translate(IRBuilder<> &b, Value *address) {
    const DeviceMemory &memory = deviceMemory();
    Value *number = b.CreatePtrToInt(address, b.getInt64Ty());
    Value *isDevice =
        b.CreateICmpULT(b.CreateSub(number, b.getInt64(memory.begin())),
                        b.getInt64(DeviceMemory::kWindow));
    uint64_t distance =
        reinterpret_cast<uint64_t>(memory.contents(memory.begin())) -
        memory.begin();
    Value *moved = b.CreatePtrAdd(address, b.getInt64(distance));
    return b.CreateSelect(isDevice, moved, address);
  }

  void rewrite(Instruction &instruction, Place &place) {
    bool isLocal = false;
    place.flags.operand = findOperand(place.pointer->get(), isLocal);
    if (isLocal)
      return;
    IRBuilder<> b(&instruction);
    Value *address = b.CreatePointerBitCastOrAddrSpaceCast(place.pointer->get(),
                                                           b.getPtrTy());
    Value *contents =
        checks ? callCheck(b, address, place) : translate(b, address);
    place.pointer->set(b.CreatePointerBitCastOrAddrSpaceCast(
        contents, place.pointer->get()->getType()));
  }

  Function &function;
  const DataLayout &data;
  bool isKernel, checks;
};

} // namespace

void memopt::emulator::instrument(Function &function, bool isKernel,
                                  bool checks) {
  Instrumenter(function, isKernel, checks).run();
}
