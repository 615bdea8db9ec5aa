//===- EmitMovement.cpp - gathers, slices, copies -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output is written piece by piece: the inputs of a concatenation, what is
// inserted into what. A piece that is a view of a storage is copied by the
// runtime, which blocks transposes; others are loops that compute each element.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "MemOpt/Codegen/ElementReader.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ProductShape.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Where a piece lies in the output: element i of its dimensions at offset +
/// sum of i stride, in elements.
struct Place {
  unsigned output;
  int64_t offset = 0;
  SmallVector<int64_t> strides;
};

/// Writes the pieces of one kernel's outputs.
class PieceEmitter {
public:
  PieceEmitter(KernelOp kernel, KernelBuilder &builder)
      : kernel(kernel), builder(builder) {}

  LogicalResult emitOutput(unsigned output) {
    Value value = kernel.getYielded()[output];
    Place place{output, 0, {}};
    place.strides.resize(getShape(value).size());
    int64_t stride = 1;
    for (size_t i = place.strides.size(); i-- > 0; stride *= getShape(value)[i])
      place.strides[i] = stride;
    return emit(value, place);
  }

  /// The op that has no code, once something has failed.
  Operation *refusal = nullptr;

private:
  static ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  LogicalResult emit(Value value, const Place &place) {
    if (cast<RankedTensorType>(value.getType()).getNumElements() == 0)
      return success();
    Operation *op = value.getDefiningOp();
    if (auto concat = dyn_cast_or_null<tensor::ConcatOp>(op))
      return emitConcat(concat, place);
    if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
      if (hasStaticPlace(insert))
        return emitInsert(insert, place);
    if (auto pad = dyn_cast_or_null<tensor::PadOp>(op))
      if (keepsSource(pad))
        return emitPad(pad, place);
    if (std::optional<StridedView> view =
            getStridedView(value, /*throughExtensions=*/false))
      if (isa<BlockArgument>(view->base) &&
          isa<RankedTensorType>(view->base.getType()) &&
          succeeded(emitCopy(*view, value, place)))
        return success();
    return emitLoops(value, place);
  }

  LogicalResult emitConcat(tensor::ConcatOp concat, Place place) {
    uint64_t dim = concat.getDim();
    for (Value input : concat.getInputs()) {
      if (failed(emit(input, place)))
        return failure();
      place.offset += getShape(input)[dim] * place.strides[dim];
    }
    return success();
  }

  static bool hasStaticPlace(tensor::InsertSliceOp op) {
    return !ShapedType::isDynamicShape(op.getStaticOffsets()) &&
           !ShapedType::isDynamicShape(op.getStaticSizes()) &&
           !ShapedType::isDynamicShape(op.getStaticStrides());
  }

  LogicalResult emitInsert(tensor::InsertSliceOp op, const Place &place) {
    bool covers = op.getStaticSizes() == getShape(op.getDest());
    if (!covers && failed(emit(op.getDest(), place)))
      return failure();
    Place inner{place.output, place.offset, {}};
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (size_t i = 0; i < place.strides.size(); ++i) {
      inner.offset += op.getStaticOffsets()[i] * place.strides[i];
      if (!dropped[i])
        inner.strides.push_back(op.getStaticStrides()[i] * place.strides[i]);
    }
    return emit(op.getSource(), inner);
  }

  /// True where no padding is negative: such a one cuts off what lies there.
  static bool keepsSource(tensor::PadOp op) {
    ArrayRef<int64_t> inner = getShape(op.getSource());
    ArrayRef<int64_t> outer = getShape(op.getResult());
    return llvm::all_of(llvm::enumerate(op.getStaticLow()), [&](auto low) {
      return !ShapedType::isDynamic(low.value()) && low.value() >= 0 &&
             low.value() + inner[low.index()] <= outer[low.index()];
    });
  }

  /// All of it from the padding, then the source over it.
  LogicalResult emitPad(tensor::PadOp op, const Place &place) {
    Place inner = place;
    for (size_t i = 0; i < place.strides.size(); ++i)
      inner.offset += op.getStaticLow()[i] * place.strides[i];
    bool covers = getShape(op.getSource()) == getShape(op.getResult());
    if (!covers && failed(emitLoops(op.getResult(), place, op)))
      return failure();
    return emit(op.getSource(), inner);
  }

  /// memopt_cpu_copy of a view.
  LogicalResult emitCopy(const StridedView &view, Value value,
                         const Place &place);
  /// Loops over the elements; of a pad's padding alone, if given.
  LogicalResult emitLoops(Value value, const Place &place,
                          tensor::PadOp padding = {});
  LogicalResult buildLoops(OpBuilder &b, Value buffers, Value begin, Value end,
                           Value value, const Place &place,
                           tensor::PadOp padding);

  KernelOp kernel;
  KernelBuilder &builder;
  unsigned parts = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult PieceEmitter::emitCopy(const StridedView &view, Value value,
                                     const Place &place) {
  OpBuilder &b = builder.getHost();
  Location loc = builder.getLoc();
  Type element = getElementTypeOrSelf(value.getType());
  SmallVector<int64_t> numbers{getElementBytes(element), 0};
  for (auto [i, size] : llvm::enumerate(getShape(value))) {
    Factors to;
    addFactor(to, {size, place.strides[i]});
    std::optional<SmallVector<CommonLoop>> loops =
        refineFactors({view.dims[i], to});
    if (!loops)
      return failure();
    for (const CommonLoop &loop : *loops) {
      numbers.append({loop.size, loop.strides[0], loop.strides[1]});
      ++numbers[1];
    }
  }
  if (numbers[1] > MEMOPT_CPU_MAX_LOOPS)
    return failure();
  auto getAddress = [&](unsigned operand, int64_t offset) {
    Value elements = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                              b.getI64IntegerAttr(offset));
    return getElementAddress(b, loc, builder.getBuffer(operand), element,
                             elements);
  };
  Value from =
      getAddress(cast<BlockArgument>(view.base).getArgNumber(), view.offset);
  Value to = getAddress(kernel.getInputs().size() + place.output, place.offset);
  LLVM::GlobalOp shape =
      builder.getCode().getNumbers(loc, "memopt_copy", numbers);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), SmallVector<Type>(3, pointer));
  LLVM::CallOp::create(
      b, loc, builder.getCode().declare(loc, "memopt_cpu_copy", type),
      ValueRange{LLVM::AddressOfOp::create(b, loc, shape), from, to});
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult PieceEmitter::emitLoops(Value value, const Place &place,
                                      tensor::PadOp padding) {
  ArrayRef<int64_t> shape = getShape(value);
  int64_t inner = shape.size() > 1 ? shape.back() : 1;
  int64_t units =
      cast<RankedTensorType>(value.getType()).getNumElements() / inner;
  FailureOr<LLVM::LLVMFuncOp> function = builder.outline(
      ("piece" + Twine(parts++)).str(),
      [&](OpBuilder &b, Value buffers, Value begin, Value end) {
        return buildLoops(b, buffers, begin, end, value, place, padding);
      });
  if (failed(function))
    return failure();
  int64_t bytes = getElementBytes(value.getType()) * inner;
  builder.callParallel(*function, units, getGrain(bytes));
  return success();
}

LogicalResult PieceEmitter::buildLoops(OpBuilder &b, Value buffers, Value begin,
                                       Value end, Value value,
                                       const Place &place,
                                       tensor::PadOp padding) {
  Location loc = kernel.getLoc();
  IndexCode math{b, loc};
  ElementReader reader(builder.getCode(), kernel, b,
                       loadPointers(b, loc, buffers, kernel->getNumOperands()));
  ArrayRef<int64_t> shape = getShape(value);
  auto toIndex = [&](Value x) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
  };
  Value one = math.constant(1);
  auto rows = scf::ForOp::create(b, loc, toIndex(begin), toIndex(end), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rows.getBody());
  Indices point;
  if (shape.size() <= 1) {
    point.assign(shape.size(), rows.getInductionVar());
  } else {
    point = math.delinearize(rows.getInductionVar(), shape.drop_back());
    auto columns = scf::ForOp::create(b, loc, math.constant(0),
                                      math.constant(shape.back()), one);
    b.setInsertionPointToStart(columns.getBody());
    point.push_back(columns.getInductionVar());
  }
  FailureOr<Value> element =
      padding ? reader.readBody(padding.getRegion().front(), point)
              : reader.read(value, point);
  if (failed(element)) {
    refusal = reader.getRefusal();
    return failure();
  }
  Value offset = math.constant(place.offset);
  for (auto [index, stride] : llvm::zip(point, place.strides))
    offset = math.add(offset, math.multiply(index, stride));
  Value base = reader.getPointer(kernel.getInputs().size() + place.output);
  storeElement(
      b, loc, *element,
      getElementAddress(b, loc, base, element->getType(), math.toI64(offset)));
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult memopt::emitOutputs(KernelOp kernel, ArrayRef<unsigned> outputs,
                                  KernelBuilder &builder, Operation *&refusal) {
  PieceEmitter emitter(kernel, builder);
  for (unsigned output : outputs)
    if (failed(emitter.emitOutput(output))) {
      refusal = emitter.refusal;
      return failure();
    }
  return success();
}

LogicalResult memopt::emitMovement(KernelOp kernel, KernelBuilder &builder) {
  Block *host = builder.getHost().getInsertionBlock();
  Operation *before = host->empty() ? nullptr : &host->back();
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(kernel.getOutputs().size()));
  Operation *refusal = nullptr;
  if (succeeded(emitOutputs(kernel, all, builder, refusal)))
    return success();
  // Some pieces may run already: take them back.
  while (!host->empty() && &host->back() != before)
    host->back().erase();
  return emitOpaque(kernel, builder);
}
