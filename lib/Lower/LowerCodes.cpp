//===- LowerCodes.cpp - writing and reading packed codes ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Both directions come in two forms. Aligned: the last dimension fills whole
// bytes, so it splits into groups of 8 / gcd(8, b) elements that share whole
// bytes. Flat: element i of the row-major order starts at bit b i of the byte
// stream, and reads that would pass the end are clamped to the last element or
// byte.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace memopt;

namespace {
/// The smallest run of elements that fills whole bytes.
struct Group {
  int64_t elements, bytes;
  explicit Group(int64_t bits)
      : elements(8 / std::gcd<int64_t>(8, bits)), bytes(bits * elements / 8) {}
};
} // namespace

static bool isAligned(RankedTensorType x, int64_t bits) {
  return x.getRank() > 0 && !x.isDynamicDim(x.getRank() - 1) &&
         x.getShape().back() % Group(bits).elements == 0;
}

/// The reassociation that splits or joins the last dimension of a tensor of
/// `rank` dimensions.
static SmallVector<ReassociationIndices> splitLast(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    groups.push_back({i});
  groups.back().push_back(rank);
  return groups;
}

/// `x` with its last dimension d as d / size x size.
static Value splitLast(ImplicitLocOpBuilder &b, Value x, int64_t size) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= size;
  shape.push_back(size);
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), x,
      splitLast(type.getRank()));
}

static Value joinLast(ImplicitLocOpBuilder &b, Value x, RankedTensorType type) {
  return tensor::CollapseShapeOp::create(b, type, x, splitLast(type.getRank()));
}

/// The reassociation between a static shape of `rank` dimensions and a flat
/// one.
static SmallVector<ReassociationIndices> flatten(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  if (rank > 0)
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(rank)));
  return groups;
}

static Value flatten(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, flat, x, flatten(0));
  if (type.getRank() == 1)
    return x;
  return tensor::CollapseShapeOp::create(b, flat, x, flatten(type.getRank()));
}

static Value unflatten(ImplicitLocOpBuilder &b, Value x,
                       RankedTensorType type) {
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, type, x, flatten(0));
  if (type.getRank() == 1)
    return x;
  return tensor::ExpandShapeOp::create(b, type, x, flatten(type.getRank()));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// code(x) = (x > c1) + (x > c2) + ... as an integer of type `type`, in the
/// compute type of x; a NaN is above no threshold.
static Value buildCode(ImplicitLocOpBuilder &b, EncodeOp op, Value x,
                       Type type) {
  Type compute = getComputeType(x.getType());
  x = convert(b, x, compute);
  Value code;
  for (double threshold : op.getThresholdValues()) {
    Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x,
                                        constant(b, compute, threshold));
    Value step = arith::ExtUIOp::create(b, type, above);
    code = code ? Value(arith::AddIOp::create(b, code, step)) : step;
  }
  return code;
}

/// byte = or over the elements e of its group of (code << b e) >> 8 j, for the
/// j-th byte of the group.
static Value encodeAligned(ImplicitLocOpBuilder &b, EncodeOp op) {
  int64_t bits = op.getBits();
  Group group(bits);
  Value groups = splitLast(b, op.getX(), group.elements);
  int64_t rank = op.getX().getType().getRank(),
          elementLoop = rank + (group.bytes > 1);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), groups);
  sizes.back() = b.getIndexAttr(group.bytes);
  if (group.bytes == 1)
    sizes.pop_back();
  AffineMap loops = b.getMultiDimIdentityMap(elementLoop + 1);
  AffineMap bytes = loops.dropResult(elementLoop);
  AffineMap reads = group.bytes == 1 ? loops : loops.dropResult(rank);
  Type word = group.bytes == 1 ? b.getI8Type() : b.getI32Type();
  Value packed =
      buildOr(b, {{groups, reads}}, bytes, sizes,
              [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                auto indexTimes = [&](int64_t loop, int64_t factor) -> Value {
                  Value index = linalg::IndexOp::create(inner, loop);
                  Value cast = arith::IndexCastOp::create(inner, word, index);
                  return arith::MulIOp::create(inner, cast,
                                               integer(inner, word, factor));
                };
                Value code = buildCode(inner, op, args[0], word);
                code = arith::ShLIOp::create(inner, code,
                                             indexTimes(elementLoop, bits));
                if (group.bytes == 1)
                  return code;
                code = arith::ShRUIOp::create(inner, code, indexTimes(rank, 8));
                return arith::TruncIOp::create(inner, inner.getI8Type(), code);
              });
  return group.bytes == 1 ? packed
                          : joinLast(b, packed, op.getCode().getType());
}

/// Byte j holds parts of the elements from 8 j / b on, each shifted left by
/// b i - 8 j, which is negative where the element starts in the byte before.
static Value encodeFlat(ImplicitLocOpBuilder &b, EncodeOp op) {
  int64_t bits = op.getBits(), slots = bits == 3 ? 4 : 8 / bits;
  int64_t count = op.getX().getType().getNumElements();
  Value flat = flatten(b, op.getX());
  OpFoldResult bytes = b.getIndexAttr(op.getCode().getType().getDimSize(0));
  return buildParallel(
      b, {}, bytes, b.getI8Type(),
      [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
        Type index = inner.getIndexType(), word = inner.getI32Type();
        auto c = [&](int64_t value) { return integer(inner, index, value); };
        Value start = arith::MulIOp::create(
            inner, linalg::IndexOp::create(inner, 0), c(8));
        Value first = arith::DivUIOp::create(inner, start, c(bits));
        Value byte = integer(inner, word, 0);
        for (int64_t slot = 0; slot < slots; ++slot) {
          Value i = arith::AddIOp::create(inner, first, c(slot));
          Value inside = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult,
                                               i, c(count));
          Value clamped = arith::MinUIOp::create(inner, i, c(count - 1));
          Value x = tensor::ExtractOp::create(inner, flat, ValueRange(clamped));
          Value code = arith::SelectOp::create(inner, inside,
                                               buildCode(inner, op, x, word),
                                               integer(inner, word, 0));
          // Shifted by 8 more, so that the amount is not negative.
          Value bit = arith::MulIOp::create(inner, i, c(bits));
          Value amount = arith::SubIOp::create(
              inner, arith::AddIOp::create(inner, bit, c(8)), start);
          Value shifted = arith::ShLIOp::create(
              inner, code, arith::IndexCastOp::create(inner, word, amount));
          byte = arith::OrIOp::create(inner, byte, shifted);
        }
        byte = arith::ShRUIOp::create(inner, byte, integer(inner, word, 8));
        return arith::TruncIOp::create(inner, inner.getI8Type(), byte);
      });
}

void memopt::lowerEncode(IRRewriter &rewriter, EncodeOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, isAligned(op.getX().getType(), op.getBits())
                             ? encodeAligned(b, op)
                             : encodeFlat(b, op));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// dx = g slopes[code], by a tree of selects on the lowest bits of `code`, an
/// integer whose higher bits may be anything.
static Value applySlope(ImplicitLocOpBuilder &b, StepGradOp op, Value g,
                        Value code, Type compute) {
  SmallVector<Value> slopes;
  for (double slope : op.getSlopeValues())
    slopes.push_back(constant(b, compute, slope));
  Type type = code.getType();
  for (int64_t bit = 0; slopes.size() > 1; ++bit) {
    Value masked =
        arith::AndIOp::create(b, code, integer(b, type, int64_t(1) << bit));
    Value set = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                      integer(b, type, 0));
    SmallVector<Value> half;
    for (size_t k = 0; k < slopes.size(); k += 2)
      half.push_back(arith::SelectOp::create(b, set, slopes[k + 1], slopes[k]));
    slopes = std::move(half);
  }
  Value dx = arith::MulFOp::create(b, convert(b, g, compute), slopes[0]);
  return convert(b, dx, op.getDx().getType().getElementType());
}

/// One byte is read by all elements of its group.
static Value stepAligned(ImplicitLocOpBuilder &b, StepGradOp op, Type compute) {
  int64_t bits = op.getBits(), rank = op.getG().getType().getRank();
  RankedTensorType type = op.getDx().getType();
  Value groups = splitLast(b, op.getG(), Group(bits).elements);
  AffineMap loops = b.getMultiDimIdentityMap(rank + 1);
  Value dx = buildParallel(
      b, {{groups, loops}, {op.getCode(), loops.dropResult(rank)}},
      tensor::getMixedSizes(b, b.getLoc(), groups), type.getElementType(),
      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        Type byte = inner.getI8Type();
        Value element = arith::IndexCastOp::create(
            inner, byte, linalg::IndexOp::create(inner, rank));
        Value amount =
            arith::MulIOp::create(inner, element, integer(inner, byte, bits));
        Value code = arith::ShRUIOp::create(inner, args[1], amount);
        return applySlope(inner, op, args[0], code, compute);
      });
  return joinLast(b, dx, type);
}

/// The code that starts at bit b i of the last dimension of `codes`, in the
/// lowest bits of the result. One of 3 bits may reach into the next byte; the
/// read of that byte is clamped to the last, whose bits are then not needed.
static Value readCode(ImplicitLocOpBuilder &b, Value codes, ValueRange outer,
                      Value i, int64_t bits) {
  Type index = b.getIndexType(), word = b.getI32Type();
  auto read = [&](Value byte) -> Value {
    SmallVector<Value> indices(outer);
    indices.push_back(byte);
    Value value = tensor::ExtractOp::create(b, codes, indices);
    return arith::ExtUIOp::create(b, word, value);
  };
  Value bit = arith::MulIOp::create(b, i, integer(b, index, bits));
  Value byte = arith::DivUIOp::create(b, bit, integer(b, index, 8));
  Value low = read(byte);
  if (8 % bits != 0) {
    int64_t last =
        cast<RankedTensorType>(codes.getType()).getShape().back() - 1;
    Value next = arith::AddIOp::create(b, byte, integer(b, index, 1));
    Value high = read(arith::MinUIOp::create(b, next, integer(b, index, last)));
    high = arith::ShLIOp::create(b, high, integer(b, word, 8));
    low = arith::OrIOp::create(b, low, high);
  }
  Value within = arith::RemUIOp::create(b, bit, integer(b, index, 8));
  return arith::ShRUIOp::create(b, low,
                                arith::IndexCastOp::create(b, word, within));
}

/// Each element reads the byte or the two bytes that hold its code. `g` has the
/// leading dimensions of `codes`.
static Value stepGather(ImplicitLocOpBuilder &b, StepGradOp op, Value g,
                        Type compute) {
  int64_t rank = cast<RankedTensorType>(g.getType()).getRank();
  AffineMap loops = b.getMultiDimIdentityMap(rank);
  return buildParallel(
      b, {{g, loops}}, tensor::getMixedSizes(b, b.getLoc(), g),
      op.getDx().getType().getElementType(),
      [&](ImplicitLocOpBuilder &inner, ValueRange args) {
        SmallVector<Value> outer;
        for (int64_t loop = 0; loop + 1 < rank; ++loop)
          outer.push_back(linalg::IndexOp::create(inner, loop));
        Value last = linalg::IndexOp::create(inner, rank - 1);
        Value code = readCode(inner, op.getCode(), outer, last, op.getBits());
        return applySlope(inner, op, args[0], code, compute);
      });
}

void memopt::lowerStepGrad(IRRewriter &rewriter, StepGradOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf({op.getG(), op.getDx()});
  RankedTensorType type = op.getDx().getType();
  Value dx;
  if (!isAligned(op.getG().getType(), op.getBits()))
    dx = unflatten(b, stepGather(b, op, flatten(b, op.getG()), compute), type);
  else if (Group(op.getBits()).bytes == 1)
    dx = stepAligned(b, op, compute);
  else
    dx = stepGather(b, op, op.getG(), compute);
  rewriter.replaceOp(op, dx);
}
