//===- PointCode.cpp - the code of a program at one point -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/PointCode.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace memopt;

PointCode::PointCode(const KernelProgram &program, OpBuilder &b, Location loc,
                     ValueRange sources)
    : position(program.sizes.size()), program(program), math(program.getMath()),
      b(b), loc(loc), sources(sources.begin(), sources.end()) {
  pushScope();
}

Value PointCode::getInteger(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

void PointCode::enterColumn(int64_t next) {
  column = next;
  if (next < 0)
    return;
  for (unsigned loop = program.sizes.size(); loop-- > 0;)
    if (columns.loops >> loop & 1) {
      position[loop] = getInteger(next % program.sizes[loop]);
      next /= program.sizes[loop];
    }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::pair<int, int64_t> PointCode::getKey(int node) const {
  return {node, program.nodes[node].loops & columns.loops ? column : -1};
}

Value PointCode::get(int node) {
  auto key = getKey(node);
  for (auto &scope : llvm::reverse(scopes))
    if (Value value = scope.lookup(key))
      return value;
  Value value = compute(node);
  scopes.back()[key] = value;
  return value;
}

void PointCode::bind(int node, Value value) {
  scopes.back()[getKey(node)] = value;
}

void PointCode::hoist(ArrayRef<int> roots, uint64_t loops) {
  llvm::SmallVector<int> work(roots.begin(), roots.end());
  llvm::SmallDenseSet<int> seen;
  while (!work.empty()) {
    int number = work.pop_back_val();
    if (!seen.insert(number).second)
      continue;
    const ProgramNode &node = program.nodes[number];
    if (!(node.loops & ~loops))
      get(number);
    else
      work.append(node.operands.begin(), node.operands.end());
  }
}

Value PointCode::compute(int number) {
  const ProgramNode &node = program.nodes[number];
  switch (node.kind) {
  case NodeKind::Constant:
    return arith::ConstantOp::create(b, loc, node.constant);
  case NodeKind::Undefined:
    return arith::ConstantOp::create(b, loc,
                                     cast<TypedAttr>(b.getZeroAttr(node.type)));
  case NodeKind::Scalar:
    return loadNumber(b, loc, sources[node.source], node.type);
  case NodeKind::Index: {
    Value value = getOffset(node.index);
    Type type = withElement(value.getType(), b.getIndexType());
    return arith::IndexCastOp::create(b, loc, type, value);
  }
  case NodeKind::Load:
    return load(number);
  case NodeKind::Gather:
    return gather(node);
  case NodeKind::Reduced:
  case NodeKind::Accumulator:
    return reduceColumns(number);
  case NodeKind::Compute:
    break;
  }
  SmallVector<Value> operands;
  for (int operand : node.operands)
    operands.push_back(isWide(node.loops) ? getWide(operand) : get(operand));
  return apply(node.op, operands, node.result);
}

Value PointCode::apply(Operation *op, ArrayRef<Value> operands,
                       unsigned result) {
  return applyOp(b, loc, op, operands, result);
}

Value PointCode::widen(Value value) {
  if (lanes.loop < 0 || isa<VectorType>(value.getType()))
    return value;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(VectorType::get(lanes.width, value.getType()),
                               Attribute(constant.getValue())));
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes.width, value.getType()), value);
}

/// A reduction over columns that are written out: one after the other, in each
/// lane on its own.
Value PointCode::reduceColumns(int number) {
  const ProgramNode &node = program.nodes[number];
  const ProgramReduction &reduction = program.reductions[node.reduction];
  SmallVector<Value> values;
  for (int init : reduction.inits)
    values.push_back(getWide(init));
  int64_t outer = column;
  for (int64_t c = 0; c < columns.count; ++c) {
    enterColumn(c);
    for (auto [i, other] : llvm::enumerate(program.nodes))
      if (other.kind == NodeKind::Accumulator &&
          other.reduction == node.reduction)
        bind(i, values[other.result]);
    SmallVector<Value> next;
    for (int update : reduction.updates)
      next.push_back(getWide(update));
    values = next;
  }
  enterColumn(outer);
  for (auto [i, other] : llvm::enumerate(program.nodes))
    if (other.kind == NodeKind::Reduced && other.reduction == node.reduction)
      bind(i, values[other.result]);
  return values[node.result];
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// A loop, floordiv or mod.
Value PointCode::getTerm(AffineExpr atom) {
  if (auto loop = dyn_cast<AffineDimExpr>(atom)) {
    Value at = position[loop.getPosition()];
    if (lanes.loop != int(loop.getPosition()))
      return at;
    SmallVector<int64_t> steps(
        llvm::to_vector(llvm::seq<int64_t>(0, lanes.width)));
    Value iota = arith::ConstantOp::create(b, loc, b.getI64VectorAttr(steps));
    return arith::AddIOp::create(b, loc, widen(at), iota);
  }
  auto binary = cast<AffineBinaryOpExpr>(atom);
  Value left = getOffset(binary.getLHS()), right = getOffset(binary.getRHS());
  if (isa<VectorType>(left.getType()))
    right = widen(right);
  if (binary.getKind() == AffineExprKind::FloorDiv)
    return arith::DivUIOp::create(b, loc, left, right);
  return arith::RemUIOp::create(b, loc, left, right);
}

Value PointCode::getOffset(AffineExpr index) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return getInteger(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary || (binary.getKind() != AffineExprKind::Add &&
                  binary.getKind() != AffineExprKind::Mul))
    return getTerm(index);
  Value left = getOffset(binary.getLHS()), right = getOffset(binary.getRHS());
  if (left.getType() != right.getType()) {
    left = widen(left);
    right = widen(right);
  }
  if (binary.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(b, loc, left, right);
  return arith::MulIOp::create(b, loc, left, right);
}

Value PointCode::getMask(int64_t width, int64_t valid) {
  if (width == valid)
    return {};
  SmallVector<bool> bits(width, false);
  std::fill(bits.begin(), bits.begin() + valid, true);
  return arith::ConstantOp::create(b, loc, b.getBoolVectorAttr(bits));
}

void PointCode::check(const ProgramAssert &check) {
  Value holds = get(check.condition);
  if (auto type = dyn_cast<VectorType>(holds.getType())) {
    if (Value mask = getMask(lanes.width, lanes.valid)) {
      Value yes =
          arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
      holds = arith::SelectOp::create(b, loc, mask, holds, yes);
    }
    holds =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, holds);
  }
  cf::AssertOp::create(b, check.loc, holds, check.message);
}
