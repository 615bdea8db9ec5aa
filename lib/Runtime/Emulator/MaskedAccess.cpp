//===- MaskedAccess.cpp - masked vectors, lane by lane --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm.masked.load, store, gather and scatter become accesses of one element
// each, behind a branch on the lane's bit, so that only what a lane touches is
// checked. NVPTX's own backend does the same.
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace memopt::emulator;
using namespace llvm;

namespace {

/// One masked intrinsic.
class MaskedAccess {
public:
  MaskedAccess(IntrinsicInst &call, bool isStore, bool isGather)
      : call(call), isStore(isStore), isGather(isGather),
        type(cast<FixedVectorType>(isStore ? call.getArgOperand(0)->getType()
                                           : call.getType())),
        pointer(call.getArgOperand(isStore)),
        mask(call.getArgOperand(isStore + 1)) {}

  void expand() {
    result = isStore ? nullptr : call.getArgOperand(2);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane)
      expandLane(lane);
    if (result)
      call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }

private:
  /// LLVM 22 keeps the alignment with the pointer: of the whole vector, or of
  /// each lane's element.
  Align getAlign(unsigned lane) const {
    const DataLayout &data = call.getModule()->getDataLayout();
    Align whole = call.getParamAlign(isStore).valueOrOne();
    if (isGather)
      return whole;
    uint64_t bytes = data.getTypeStoreSize(type->getElementType());
    return commonAlignment(whole, lane * bytes);
  }

  void expandLane(unsigned lane) {
    IRBuilder<> b(&call);
    Value *bit = b.CreateExtractElement(mask, lane);
    BasicBlock *before = call.getParent();
    Instruction *then = SplitBlockAndInsertIfThen(bit, call.getIterator(),
                                                  /*Unreachable=*/false);
    b.SetInsertPoint(then);
    Value *address = isGather ? b.CreateExtractElement(pointer, lane)
                              : b.CreateConstInBoundsGEP1_64(
                                    type->getElementType(), pointer, lane);
    if (isStore) {
      Value *element = b.CreateExtractElement(call.getArgOperand(0), lane);
      b.CreateAlignedStore(element, address, getAlign(lane));
      return;
    }
    Value *element =
        b.CreateAlignedLoad(type->getElementType(), address, getAlign(lane));
    Value *with = b.CreateInsertElement(result, element, lane);
    b.SetInsertPoint(&call);
    PHINode *either = b.CreatePHI(type, 2);
    either->addIncoming(with, then->getParent());
    either->addIncoming(result, before);
    result = either;
  }

  IntrinsicInst &call;
  bool isStore, isGather;
  FixedVectorType *type;
  Value *pointer, *mask;
  Value *result = nullptr;
};

} // namespace

void memopt::emulator::expandMaskedAccesses(Function &function) {
  std::vector<IntrinsicInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      calls.push_back(call);
  for (IntrinsicInst *call : calls) {
    Intrinsic::ID id = call->getIntrinsicID();
    bool isGather =
        id == Intrinsic::masked_gather || id == Intrinsic::masked_scatter;
    bool isStore =
        id == Intrinsic::masked_store || id == Intrinsic::masked_scatter;
    if (isGather || isStore || id == Intrinsic::masked_load)
      MaskedAccess(*call, isStore, isGather).expand();
  }
}
