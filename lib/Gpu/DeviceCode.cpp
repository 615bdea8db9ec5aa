//===- DeviceCode.cpp - device code before it is serialized ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "MemOpt/Codegen/Assertions.h"
#include "MemOpt/Codegen/ConvertToLLVM.h"
#include "MemOpt/Codegen/MathFunctions.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

static LLVM::GlobalOp addGlobal(OpBuilder &b, Location loc, StringRef name,
                                Type type, bool isConstant, Attribute value) {
  return LLVM::GlobalOp::create(b, loc, type, isConstant,
                                LLVM::Linkage::External, name, value,
                                /*alignment=*/4, globalSpace);
}

void memopt::storeFailedAssertions(GpuModule &gpu) {
  ModuleOp module = gpu.device.getModule();
  OpBuilder global = OpBuilder::atBlockBegin(module.getBody());
  LLVM::GlobalOp fault;
  std::string texts;
  lowerAssertions(module, [&](OpBuilder &b, Location loc, StringRef text) {
    Type i32 = b.getI32Type();
    if (!fault)
      fault = addGlobal(global, module.getLoc(), "memopt_gpu_fault", i32, false,
                        b.getI32IntegerAttr(0));
    gpu.assertions.push_back(text.str());
    texts += text;
    texts.push_back('\0');
    Value number = LLVM::ConstantOp::create(
        b, loc, i32, b.getI32IntegerAttr(gpu.assertions.size()));
    LLVM::StoreOp::create(b, loc, number,
                          LLVM::AddressOfOp::create(b, loc, fault));
  });
  if (fault)
    addGlobal(global, module.getLoc(), "memopt_gpu_assertions",
              LLVM::LLVMArrayType::get(global.getI8Type(), texts.size()), true,
              global.getStringAttr(texts));
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

/// The f32 that `value` is in all lanes, of a size whose inverse is a normal
/// number.
static std::optional<float> getDivisor(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto elements = dyn_cast<SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  if (!number || !number.getType().isF32())
    return std::nullopt;
  float divisor = number.getValue().convertToFloat();
  float size = std::abs(divisor);
  return size > 0x1p-100f && size < 0x1p100f ? std::optional(divisor)
                                             : std::nullopt;
}

/// a / b for a constant b: with y = 1 / b rounded, q = a y and r = a - b q in
/// one rounding, q + r y is the quotient rounded, but for denormal ones
/// (Markstein, IBM J. Res. Dev. 34, 1990). The instruction for any b is a call
/// within the assembler, around which registers are spilled.
static void expandDivision(arith::DivFOp op, float divisor) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto constant = [&](double x) {
    return getConstant(b, loc, op.getType(), x);
  };
  Value a = op.getLhs(), inverse = constant(1.0f / divisor);
  Value q = arith::MulFOp::create(b, loc, a, inverse);
  Value rest = math::FmaOp::create(b, loc, q, constant(-divisor), a);
  Value better = math::FmaOp::create(b, loc, rest, inverse, q);
  // Infinity less infinity is no number: q is right as it is.
  Value isFinite = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, q),
      constant(std::numeric_limits<float>::infinity()));
  op.replaceAllUsesWith(
      arith::SelectOp::create(b, loc, isFinite, better, q).getResult());
  op.erase();
}

static void expandDivisions(ModuleOp module) {
  SmallVector<std::pair<arith::DivFOp, float>> divisions;
  module.walk([&](arith::DivFOp op) {
    if (std::optional<float> divisor = getDivisor(op.getRhs()))
      divisions.push_back({op, *divisor});
  });
  for (auto [op, divisor] : divisions)
    expandDivision(op, divisor);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Functions that are instructions of the GPU, or short sequences of them.
static bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

LogicalResult memopt::convertDeviceCode(GpuModule &gpu) {
  ModuleOp module = gpu.device.getModule();
  storeFailedAssertions(gpu);
  expandMathFunctions(module);
  expandDivisions(module);
  WalkResult result = module.walk([](Operation *op) {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        isInstruction(op))
      return WalkResult::advance();
    op->emitOpError("of ") << op->getOperand(0).getType() << " has no GPU code";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  PassManager pipeline(module.getContext());
  buildConvertToLLVM(pipeline, /*withLibrary=*/false);
  return pipeline.run(module);
}
