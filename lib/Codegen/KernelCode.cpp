//===- KernelCode.cpp - what a kernel's code is written into --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/KernelCode.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// KernelCode
//===----------------------------------------------------------------------===//

/// The bytes of a constant as they lie in memory.
static std::string getBytes(ElementsAttr data) {
  std::string bytes;
  Type type = data.getElementType();
  int64_t width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  for (Attribute element : data.getValues<Attribute>()) {
    APInt value = isa<FloatAttr>(element)
                      ? cast<FloatAttr>(element).getValue().bitcastToAPInt()
                      : cast<IntegerAttr>(element).getValue();
    for (int64_t bit = 0; bit < width; bit += 8)
      bytes.push_back(
          char(value.zextOrTrunc(64).lshr(bit).getZExtValue() & 0xff));
  }
  return bytes;
}

void KernelCode::bindOperands(KernelOp kernel, CodeModule &module,
                              ValueRange operands) {
  for (const ProgramSource &source : program.sources) {
    if (!source.data) {
      sources.push_back(operands[source.input]);
      continue;
    }
    LLVM::GlobalOp global = module.getConstant(loc, getBytes(source.data));
    sources.push_back(LLVM::AddressOfOp::create(b, loc, global));
  }
  llvm::append_range(outputs, operands.drop_front(kernel.getInputs().size()));
}

Value KernelCode::getInteger(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

Value KernelCode::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value KernelCode::multiply(Value x, int64_t y) {
  return arith::MulIOp::create(b, loc, x, getInteger(y));
}

void KernelCode::place(PointCode &point, ArrayRef<unsigned> loops,
                       Value number) {
  for (size_t i = loops.size(); i-- > 0;) {
    if (i == 0) {
      point.position[loops[i]] = number;
      return;
    }
    Value size = getInteger(program.sizes[loops[i]]);
    point.position[loops[i]] = arith::RemUIOp::create(b, loc, number, size);
    number = arith::DivUIOp::create(b, loc, number, size);
  }
}

Value KernelCode::takePiece(Value &unit, int64_t count, int64_t size) {
  if (count == 1)
    return getInteger(0);
  Value pieces = getInteger(count);
  Value number = arith::RemUIOp::create(b, loc, unit, pieces);
  unit = arith::DivUIOp::create(b, loc, unit, pieces);
  return arith::MulIOp::create(b, loc, number, getInteger(size));
}

SmallVector<Value> KernelCode::loop(Value low, Value high, int64_t step,
                                    ValueRange inits, LoopBody body) {
  // The body writes through the builder that all share, and where it stands in
  // a function must be known: the loop is there first.
  auto loop = scf::ForOp::create(b, loc, low, high, getInteger(step), inits);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  block->clear();
  b.setInsertionPointToEnd(block);
  scf::YieldOp::create(b, loc,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

void KernelCode::loop(Value low, Value high, int64_t step,
                      function_ref<void(Value)> body) {
  loop(low, high, step, ValueRange(), [&](Value at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

void KernelCode::when(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> KernelCode::choose(Value condition, ValueRange values,
                                      function_ref<SmallVector<Value>()> body) {
  auto branch = scf::IfOp::create(b, loc, values.getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, values);
  return SmallVector<Value>(branch.getResults());
}

//===----------------------------------------------------------------------===//
// Sizes and costs
//===----------------------------------------------------------------------===//

SmallVector<unsigned> memopt::getLoopList(uint64_t loops) {
  SmallVector<unsigned> list;
  for (unsigned loop = 0; loop < 64; ++loop)
    if (loops >> loop & 1)
      list.push_back(loop);
  return list;
}

int64_t memopt::getCount(const KernelProgram &program,
                         ArrayRef<unsigned> loops) {
  int64_t count = 1;
  for (unsigned loop : loops)
    count *= program.sizes[loop];
  return count;
}

bool memopt::isCostly(const ProgramNode &node) {
  if (node.kind == NodeKind::Gather)
    return true;
  return node.kind == NodeKind::Compute &&
         isa<math::MathDialect>(node.op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::RsqrtOp,
              math::FmaOp, math::FloorOp, math::CeilOp, math::RoundOp,
              math::RoundEvenOp, math::TruncOp, math::CopySignOp,
              math::FPowIOp>(node.op);
}

int64_t memopt::getBytesPerPoint(const KernelProgram &program) {
  // What exp takes, in bytes that memory gives in the same time.
  constexpr int64_t costlyBytes = 8;
  int64_t bytes = 0;
  for (const ProgramNode &node : program.nodes) {
    if (node.kind == NodeKind::Load || node.kind == NodeKind::Gather)
      bytes += getElementBytes(node.type);
    if (isCostly(node))
      bytes += costlyBytes;
  }
  for (const ProgramStore &store : program.stores)
    bytes += getElementBytes(program.nodes[store.node].type);
  return bytes;
}

/// Reductions of one kernel share the loops that they reduce.
LogicalResult memopt::checkReductions(const KernelProgram &program) {
  for (const ProgramReduction &reduction : program.reductions)
    if (reduction.loops != program.reductions[0].loops)
      return reduction.op->emitOpError(
          "reduces other loops than the reductions "
          "before it in its kernel");
  return success();
}
