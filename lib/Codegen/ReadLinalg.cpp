//===- ReadLinalg.cpp - one element of a linalg op ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ElementReader.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace memopt;

/// The place that an operand is read at, or written to, by a point of the
/// loops.
static Indices getPlace(OpBuilder &b, Location loc, AffineMap map,
                        ArrayRef<Value> loops) {
  Indices place;
  for (AffineExpr expr : map.getResults())
    place.push_back(affine::expandAffineExpr(b, loc, expr, loops, {}));
  return place;
}

FailureOr<Value> ElementReader::readLinalg(linalg::LinalgOp op, unsigned result,
                                           ArrayRef<Value> indices) {
  IndexCode math{b, loc};
  OpOperand *init = op.getDpsInitOperand(result);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Indices loops(op.getNumLoops());
  for (auto [expr, index] :
       llvm::zip(op.getMatchingIndexingMap(init).getResults(), indices))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
    else if (!isa<AffineConstantExpr>(expr))
      return refuse(op);
  auto iterators = op.getIteratorTypesArray();
  for (unsigned i = 0; i < loops.size(); ++i) {
    if (loops[i] || iterators[i] == utils::IteratorType::reduction)
      continue;
    if (ranges[i] != 1)
      return refuse(op);
    loops[i] = math.constant(0);
  }
  SmallVector<Value> made;
  if (op.getNumReductionLoops() == 0) {
    if (failed(inlineBody(op, loops, {}, made)))
      return failure();
    return made[result];
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    FailureOr<Value> first =
        read(operand.get(),
             getPlace(b, loc, op.getMatchingIndexingMap(&operand), loops));
    if (failed(first))
      return failure();
    made.push_back(*first);
  }
  if (failed(reduce(op, loops, 0, made)))
    return failure();
  return made[result];
}

LogicalResult ElementReader::reduce(linalg::LinalgOp op, Indices &loops,
                                    unsigned depth,
                                    SmallVector<Value> &accumulators) {
  while (depth < loops.size() && loops[depth])
    ++depth;
  if (depth == loops.size()) {
    SmallVector<Value> yielded;
    if (failed(inlineBody(op, loops, accumulators, yielded)))
      return failure();
    accumulators = yielded;
    return success();
  }
  IndexCode math{b, loc};
  Value first = math.constant(0), step = math.constant(1),
        end = math.constant(op.getStaticLoopRanges()[depth]);
  auto loop = scf::ForOp::create(b, loc, first, end, step, accumulators);
  OpBuilder::InsertionGuard guard(b);
  Scope scope(*this);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inner(loop.getRegionIterArgs());
  loops[depth] = loop.getInductionVar();
  LogicalResult done = reduce(op, loops, depth + 1, inner);
  loops[depth] = Value();
  if (failed(done))
    return failure();
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loc, inner);
  accumulators.assign(loop.result_begin(), loop.result_end());
  return success();
}

LogicalResult ElementReader::inlineBody(linalg::LinalgOp op,
                                        ArrayRef<Value> loops,
                                        ArrayRef<Value> accumulators,
                                        SmallVectorImpl<Value> &yielded) {
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand))
      continue;
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand) && !accumulators.empty()) {
      unsigned number = operand.getOperandNumber() - op.getNumDpsInputs();
      mapping.map(argument, accumulators[number]);
      continue;
    }
    FailureOr<Value> value =
        op.isScalar(&operand)
            ? readScalar(operand.get())
            : read(
                  operand.get(),
                  getPlace(b, loc, op.getMatchingIndexingMap(&operand), loops));
    if (failed(value))
      return failure();
    mapping.map(argument, *value);
  }
  return cloneBody(*op.getBlock(), loops, mapping, yielded);
}

FailureOr<Value> ElementReader::readBody(Block &block,
                                         ArrayRef<Value> indices) {
  IRMapping mapping;
  mapping.map(block.getArguments(), indices);
  SmallVector<Value> yielded;
  if (failed(cloneBody(block, indices, mapping, yielded)))
    return failure();
  return yielded.front();
}

FailureOr<Value> ElementReader::lookup(Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  FailureOr<Value> outer = readScalar(value);
  if (succeeded(outer))
    mapping.map(value, *outer);
  return outer;
}

LogicalResult ElementReader::cloneOp(Operation &op, ArrayRef<Value> loops,
                                     IRMapping &mapping) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    mapping.map(index.getResult(), loops[index.getDim()]);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Indices place;
    for (Value index : extract.getIndices()) {
      FailureOr<Value> at = lookup(index, mapping);
      if (failed(at))
        return failure();
      place.push_back(keepInside(*at, extract.getTensor(), place.size()));
    }
    FailureOr<Value> value = read(extract.getTensor(), place);
    if (succeeded(value))
      mapping.map(extract.getResult(), *value);
    return value;
  }
  if (op.getNumRegions() || !(isMemoryEffectFree(&op) || isa<cf::AssertOp>(op)))
    return refuse(&op);
  for (Value operand : op.getOperands())
    if (isa<ShapedType>(operand.getType()))
      return refuse(&op);
    else if (failed(lookup(operand, mapping)))
      return failure();
  if (!OpTrait::hasElementwiseMappableTraits(&op)) {
    b.clone(op, mapping);
    return success();
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(mapping.lookup(operand));
  for (OpResult result : op.getResults())
    mapping.map(result,
                applyOp(b, loc, &op, operands, result.getResultNumber()));
  return success();
}

LogicalResult ElementReader::cloneBody(Block &block, ArrayRef<Value> loops,
                                       IRMapping &mapping,
                                       SmallVectorImpl<Value> &yielded) {
  for (Operation &op : block.without_terminator())
    if (failed(cloneOp(op, loops, mapping)))
      return failure();
  for (Value value : block.getTerminator()->getOperands()) {
    FailureOr<Value> made = lookup(value, mapping);
    if (failed(made))
      return failure();
    yielded.push_back(*made);
  }
  return success();
}
