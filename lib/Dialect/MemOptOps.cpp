//===- MemOptOps.cpp - verifiers of the memopt ops ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace memopt;

#define GET_OP_CLASSES
#include "MemOpt/Dialect/MemOptOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Bodies of raised ops
//===----------------------------------------------------------------------===//

/// A body has one block whose arguments are the operands and whose terminator
/// yields the results; everything in it may be computed again.
static LogicalResult verifyBody(Operation *op, Region &body) {
  if (body.empty())
    return success();
  if (!body.hasOneBlock())
    return op->emitOpError("body must have one block");
  Block &block = body.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(op->getOperandTypes()))
    return op->emitOpError(
        "body arguments must have the types of the operands");
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield ||
      TypeRange(yield->getOperandTypes()) != TypeRange(op->getResultTypes()))
    return op->emitOpError(
        "body must end in memopt.yield of values of the result types");
  for (Operation &inner : block)
    if (!isMemoryEffectFree(&inner)) {
      InFlightDiagnostic diag =
          op->emitOpError("body must be free of side effects");
      diag.attachNote(inner.getLoc()) << "this op may have some";
      return diag;
    }
  return success();
}

LogicalResult ActivationOp::verify() { return verifyBody(*this, getBody()); }

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// b for 2^b, 1 <= b <= 4; 0 for any other count.
static unsigned bitsOfLevels(size_t levels) {
  for (unsigned bits = 1; bits <= 4; ++bits)
    if (levels == size_t(1) << bits)
      return bits;
  return 0;
}

static LogicalResult verifyCode(Operation *op, RankedTensorType values,
                                RankedTensorType code, unsigned bits) {
  RankedTensorType expected = getCodeType(values, bits);
  if (!expected)
    return op->emitOpError("codes of ")
           << values << " need a static element count below 2^63 / " << bits
           << ", or a last dimension that fills whole bytes";
  if (code != expected)
    return op->emitOpError("codes of ")
           << bits << " bits for " << values << " have type " << expected
           << ", not " << code;
  return success();
}

/// Dense arrays of doubles print with six digits; these keep all.
static SmallVector<double> toDoubles(ArrayAttr values) {
  return llvm::map_to_vector(
      values.getAsRange<FloatAttr>(),
      [](FloatAttr value) { return value.getValueAsDouble(); });
}

SmallVector<double> EncodeOp::getThresholdValues() {
  return toDoubles(getThresholds());
}

SmallVector<double> StepGradOp::getSlopeValues() {
  return toDoubles(getSlopes());
}

unsigned EncodeOp::getBits() {
  return bitsOfLevels(getThresholds().size() + 1);
}

LogicalResult EncodeOp::verify() {
  unsigned bits = getBits();
  if (!bits)
    return emitOpError("expects 1, 3, 7 or 15 thresholds, got ")
           << getThresholds().size();
  double previous = -INFINITY;
  for (double c : getThresholdValues()) {
    if (!std::isfinite(c) || !(c > previous))
      return emitOpError("thresholds must be finite and rising");
    previous = c;
  }
  return verifyCode(*this, getX().getType(), getCode().getType(), bits);
}

unsigned StepGradOp::getBits() { return bitsOfLevels(getSlopes().size()); }

static LogicalResult verifySameShape(Operation *op, RankedTensorType a,
                                     RankedTensorType b) {
  if (a.getShape() == b.getShape())
    return success();
  return op->emitOpError("expects one shape, got ") << a << " and " << b;
}

LogicalResult StepGradOp::verify() {
  unsigned bits = getBits();
  if (!bits)
    return emitOpError("expects 2, 4, 8 or 16 slopes, got ")
           << getSlopes().size();
  for (double slope : getSlopeValues())
    if (!std::isfinite(slope))
      return emitOpError("slopes must be finite");
  if (failed(verifySameShape(*this, getG().getType(), getDx().getType())))
    return failure();
  return verifyCode(*this, getG().getType(), getCode().getType(), bits);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Checks what the three norm ops have in common: x (or xhat) is normalised
/// over its trailing dimensions, and each of `parameters` has the shape of a
/// row.
static LogicalResult verifyRows(Operation *op, RankedTensorType x,
                                int64_t normalizedRank, ValueRange parameters) {
  if (normalizedRank < 1 || normalizedRank > x.getRank())
    return op->emitOpError("normalized_rank must be between 1 and the rank of ")
           << x << ", got " << normalizedRank;
  for (Value parameter : parameters)
    if (parameter && cast<RankedTensorType>(parameter.getType()).getShape() !=
                         x.getShape().take_back(normalizedRank))
      return op->emitOpError(
                 "gamma, beta and their gradients have the shape of a row of ")
             << x << ", got " << parameter.getType();
  return success();
}

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (epsilon.isFinite() && !epsilon.isNegative())
    return success();
  return op->emitOpError("epsilon must be finite and at least 0");
}

static LogicalResult verifyRstd(Operation *op, RankedTensorType xhat,
                                RankedTensorType rstd, int64_t rank) {
  RankedTensorType expected = getStatisticsType(xhat, rank);
  if (rstd == expected)
    return success();
  return op->emitOpError("rstd of ")
         << xhat << " has type " << expected << ", not " << rstd;
}

LogicalResult NormOp::verify() {
  RankedTensorType x = getX().getType(), xhat = getXhat().getType();
  int64_t rank = getNormalizedRank();
  if (failed(verifyRows(*this, x, rank, {getGamma(), getBeta()})) ||
      failed(verifyEpsilon(*this, getEpsilon())) ||
      failed(verifySameShape(*this, x, getY().getType())) ||
      failed(verifySameShape(*this, x, xhat)) ||
      failed(verifyRstd(*this, xhat, getRstd().getType(), rank)))
    return failure();
  Type compute = getComputeType(x.getElementType());
  if (xhat.getElementType() != compute)
    return emitOpError("xhat of ") << x << " has elements of type " << compute
                                   << ", not " << xhat.getElementType();
  if (!getCaptures().empty() && getBody().empty())
    return emitOpError("captures need a body that reads them");
  return verifyBody(*this, getBody());
}

LogicalResult NormGradOp::verify() {
  RankedTensorType x = getX().getType();
  if (failed(verifyRows(*this, x, getNormalizedRank(),
                        {getGamma(), getDgamma(), getDbeta()})) ||
      failed(verifyEpsilon(*this, getEpsilon())) ||
      failed(verifySameShape(*this, x, getG().getType())))
    return failure();
  return verifySameShape(*this, x, getDx().getType());
}

LogicalResult NormOutputGradOp::verify() {
  RankedTensorType xhat = getXhat().getType();
  int64_t rank = getNormalizedRank();
  if (failed(verifyRows(*this, xhat, rank,
                        {getGamma(), getDgamma(), getDbeta()})) ||
      failed(verifyRstd(*this, xhat, getRstd().getType(), rank)) ||
      failed(verifySameShape(*this, xhat, getG().getType())))
    return failure();
  return verifySameShape(*this, xhat, getDx().getType());
}
