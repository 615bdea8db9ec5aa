//===- Intrinsics.cpp - NVVM's intrinsics on the host ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace memopt::emulator;
using namespace llvm;

bool memopt::emulator::isSynchronisation(StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return false;
  for (StringRef prefix :
       {"barrier", "bar.", "shfl.", "vote.", "redux.", "exit"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

namespace {

/// One call of an intrinsic, about to be replaced.
class Expansion {
public:
  Expansion(CallInst &call, uint32_t site)
      : call(call), b(&call), site(site),
        name(call.getCalledFunction()->getName()) {
    name.consume_front("llvm.nvvm.");
  }

  /// False where nothing stands for it.
  bool run() {
    Value *value = nullptr;
    if (!expand(value))
      return false;
    if (value)
      call.replaceAllUsesWith(value);
    call.eraseFromParent();
    return true;
  }

private:
  Value *arg(unsigned number) { return call.getArgOperand(number); }
  Value *callRuntime(const char *function, Type *result,
                     ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee callee = call.getModule()->getOrInsertFunction(
        function, FunctionType::get(result, types, false));
    auto *made = b.CreateCall(callee, arguments);
    made->setConvergent();
    return made;
  }
  /// 1 / x, and the like.
  Value *one() { return ConstantFP::get(arg(0)->getType(), 1.0); }
  Value *unary(Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, arg(0)); }
  Value *binary(Intrinsic::ID id) {
    return b.CreateBinaryIntrinsic(id, arg(0), arg(1));
  }

  bool expand(Value *&value) {
    if (name.consume_front("read.ptx.sreg."))
      return expandRegister(value);
    if (name.consume_front("barrier.cta."))
      return expandBarrier(value);
    if (name.starts_with("shfl.sync.") || name.starts_with("vote.") ||
        name.starts_with("redux.sync.") || name == "bar.warp.sync")
      return expandWarp(value);
    if (name.starts_with("membar.") || name.starts_with("fence."))
      return expandFence();
    if (name == "exit") {
      callRuntime("memopt_emulator_exit", b.getVoidTy(), {});
      return true;
    }
    value = expandConversion();
    if (!value)
      value = expandMath();
    return value != nullptr;
  }

  /// One thread runs at a time: a fence orders blocks for their races only.
  /// Those of a block, of a cluster and of proxies do not reach other blocks.
  bool expandFence() {
    if (name == "membar.gl" || name == "membar.sys")
      callRuntime("memopt_emulator_fence", b.getVoidTy(), {b.getInt32(3)});
    return true;
  }

  bool expandRegister(Value *&value) {
    auto [part, dimension] = name.split('.');
    if (part == "warpsize") {
      value = b.getInt32(kWarpSize);
      return true;
    }
    int number = StringSwitch<int>(part)
                     .Case("tid", 0)
                     .Case("ntid", 1)
                     .Case("ctaid", 2)
                     .Case("nctaid", 3)
                     .Case("laneid", 4)
                     .Case("warpid", 5)
                     .Default(-1);
    if (number < 0)
      return false;
    int axis = dimension.empty() ? 0 : dimension[0] - 'x';
    value = callRuntime("memopt_emulator_register", b.getInt32Ty(),
                        {b.getInt32(number), b.getInt32(axis)});
    return true;
  }

  /// barrier.cta.(sync|red.popc|red.and|red.or)[.aligned].(all|count), of which
  /// the arguments are the number, [the count], [the predicate].
  bool expandBarrier(Value *&value) {
    int mode = name.consume_front("sync")       ? 0
               : name.consume_front("red.popc") ? 1
               : name.consume_front("red.and")  ? 2
               : name.consume_front("red.or")   ? 3
                                                : -1;
    if (mode < 0)
      return false;
    bool isAligned = name.consume_front(".aligned");
    unsigned next = 1;
    Value *count = name == ".count" ? arg(next++) : b.getInt32(0);
    Value *predicate =
        mode ? b.CreateZExt(arg(next), b.getInt32Ty()) : b.getInt32(0);
    Value *result =
        callRuntime("memopt_emulator_barrier", b.getInt32Ty(),
                    {arg(0), count, b.getInt32(site << 1 | isAligned),
                     b.getInt32(mode), predicate});
    if (mode)
      value = b.CreateZExtOrTrunc(result, call.getType());
    return true;
  }

  Value *callWarp(WarpMode mode, Value *mask, Value *in, Value *second,
                  Value *third) {
    return callRuntime("memopt_emulator_warp", b.getInt32Ty(),
                       {b.getInt32(uint32_t(mode)), mask, in, second, third});
  }

  bool expandWarp(Value *&value) {
    Value *zero = b.getInt32(0);
    if (name == "bar.warp.sync") {
      callWarp(WarpMode::Sync, arg(0), zero, zero, zero);
      return true;
    }
    if (name.consume_front("shfl.sync."))
      return expandShuffle(value);
    if (name.consume_front("redux.sync.")) {
      auto mode = StringSwitch<std::optional<WarpMode>>(name)
                      .Case("add", WarpMode::Add)
                      .Case("and", WarpMode::And)
                      .Case("or", WarpMode::Or)
                      .Case("xor", WarpMode::Xor)
                      .Case("min", WarpMode::Min)
                      .Case("max", WarpMode::Max)
                      .Case("umin", WarpMode::UnsignedMin)
                      .Case("umax", WarpMode::UnsignedMax)
                      .Default(std::nullopt);
      if (mode)
        value = callWarp(*mode, arg(1), arg(0), zero, zero);
      return mode.has_value();
    }
    auto mode = StringSwitch<std::optional<WarpMode>>(name)
                    .Case("vote.ballot.sync", WarpMode::Ballot)
                    .Case("vote.any.sync", WarpMode::Any)
                    .Case("vote.all.sync", WarpMode::All)
                    .Case("vote.uni.sync", WarpMode::Uniform)
                    .Default(std::nullopt);
    if (!mode)
      return false;
    value = callWarp(*mode, arg(0), b.CreateZExt(arg(1), b.getInt32Ty()), zero,
                     zero);
    value = b.CreateZExtOrTrunc(value, call.getType());
    return true;
  }

  /// shfl.sync.(up|down|bfly|idx).(i32|f32)[p](mask, value, b, c).
  bool expandShuffle(Value *&value) {
    auto mode = StringSwitch<WarpMode>(name.split('.').first)
                    .Case("up", WarpMode::ShuffleUp)
                    .Case("down", WarpMode::ShuffleDown)
                    .Case("bfly", WarpMode::ShuffleXor)
                    .Default(WarpMode::ShuffleIndex);
    Type *type = arg(1)->getType();
    value = callWarp(mode, arg(0), b.CreateBitCast(arg(1), b.getInt32Ty()),
                     arg(2), arg(3));
    value = b.CreateBitCast(value, type);
    auto *pair = dyn_cast<StructType>(call.getType());
    if (!pair)
      return true;
    Value *predicate =
        callRuntime("memopt_emulator_predicate", b.getInt32Ty(), {});
    value = b.CreateInsertValue(PoisonValue::get(pair), value, 0);
    value = b.CreateInsertValue(
        value, b.CreateTrunc(predicate, pair->getElementType(1)), 1);
    return true;
  }

  /// (f|d)2bf16 and the like, rounded to nearest even; two at once with the
  /// first argument in the upper half.
  Value *expandConversion() {
    if (name == "f2bf16.rn" || name == "f2f16.rn")
      return b.CreateFPTrunc(arg(0), call.getType());
    if (name != "ff2bf16x2.rn" && name != "ff2f16x2.rn")
      return nullptr;
    auto *pair = cast<VectorType>(call.getType());
    Value *both = PoisonValue::get(pair);
    for (unsigned i : {0u, 1u})
      both = b.CreateInsertElement(
          both, b.CreateFPTrunc(arg(1 - i), pair->getElementType()), i);
    return both;
  }

  /// Approximations are exact to the type's rounding here.
  Value *expandMath() {
    bool isFtz = name.contains(".ftz");
    if (isFtz)
      return nullptr; // subnormal numbers would be 0
    if (name.starts_with("rcp."))
      return b.CreateFDiv(one(), arg(0));
    if (name.starts_with("rsqrt."))
      return b.CreateFDiv(one(), unary(Intrinsic::sqrt));
    if (name.starts_with("div."))
      return b.CreateFDiv(arg(0), arg(1));
    if (name.starts_with("add.rn"))
      return b.CreateFAdd(arg(0), arg(1));
    if (name.starts_with("mul.rn"))
      return b.CreateFMul(arg(0), arg(1));
    if (name.starts_with("fma.rn"))
      return b.CreateIntrinsic(Intrinsic::fma, {arg(0)->getType()},
                               {arg(0), arg(1), arg(2)});
    if (name.starts_with("fmin") || name.starts_with("fmax")) {
      bool isMin = name.starts_with("fmin"), keepsNaN = name.contains(".nan");
      return binary(isMin
                        ? (keepsNaN ? Intrinsic::minimum : Intrinsic::minnum)
                        : (keepsNaN ? Intrinsic::maximum : Intrinsic::maxnum));
    }
    if (name.starts_with("mulhi."))
      return expandHighProduct();
    Intrinsic::ID id = StringSwitch<Intrinsic::ID>(name.split('.').first)
                           .Case("sqrt", Intrinsic::sqrt)
                           .Case("ex2", Intrinsic::exp2)
                           .Case("lg2", Intrinsic::log2)
                           .Case("sin", Intrinsic::sin)
                           .Case("cos", Intrinsic::cos)
                           .Case("tanh", Intrinsic::tanh)
                           .Case("fabs", Intrinsic::fabs)
                           .Case("floor", Intrinsic::floor)
                           .Case("ceil", Intrinsic::ceil)
                           .Case("trunc", Intrinsic::trunc)
                           .Case("round", Intrinsic::roundeven)
                           .Default(Intrinsic::not_intrinsic);
    return id == Intrinsic::not_intrinsic ? nullptr : unary(id);
  }

  Value *expandHighProduct() {
    bool isSigned = !name.contains(".u");
    unsigned bits = call.getType()->getIntegerBitWidth();
    Type *wide = b.getIntNTy(2 * bits);
    Value *product = b.CreateMul(b.CreateIntCast(arg(0), wide, isSigned),
                                 b.CreateIntCast(arg(1), wide, isSigned));
    return b.CreateTrunc(b.CreateLShr(product, bits), call.getType());
  }

  CallInst &call;
  IRBuilder<> b;
  uint32_t site;
  StringRef name;
};

} // namespace

static Error unknown(const Twine &what, const CallInst &call) {
  std::string text = "kernel code in @" + call.getFunction()->getName().str() +
                     " calls " + what.str() + ", which is not emulated";
  return createStringError(std::errc::not_supported, text.c_str());
}

/// A thread that traps has failed; what follows is unreachable.
static void expandTrap(CallInst &call) {
  IRBuilder<> b(&call);
  b.CreateCall(call.getModule()->getOrInsertFunction(
      "memopt_emulator_trap", FunctionType::get(b.getVoidTy(), false)));
  call.eraseFromParent();
}

/// Accesses of which neither instrument nor expandMaskedAccesses knows.
static bool isCompressed(Intrinsic::ID id) {
  return id == Intrinsic::masked_expandload ||
         id == Intrinsic::masked_compressstore ||
         VPIntrinsic::isVPIntrinsic(id);
}

Error memopt::emulator::defineIntrinsics(Module &module) {
  std::vector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        calls.push_back(call);
  uint32_t site = 0;
  for (CallInst *call : calls) {
    if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return unknown("inline PTX '" + StringRef(assembly->getAsmString()) + "'",
                     *call);
    Function *callee = call->getCalledFunction();
    if (!callee)
      return unknown("a function pointer", *call);
    Intrinsic::ID id = callee->getIntrinsicID();
    if (isCompressed(id))
      return unknown(callee->getName(), *call);
    if (id == Intrinsic::trap || id == Intrinsic::debugtrap)
      expandTrap(*call);
    else if (callee->getName().starts_with("llvm.nvvm.") &&
             !Expansion(*call, ++site).run())
      return unknown(callee->getName(), *call);
  }
  return Error::success();
}
