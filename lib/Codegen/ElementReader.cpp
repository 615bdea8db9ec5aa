//===- ElementReader.cpp - one element of a kernel's value ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ElementReader.h"
#include "MemOpt/Codegen/Constants.h"
#include "MemOpt/Codegen/KernelProgram.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

ElementReader::ElementReader(CodeModule &code, KernelOp kernel, OpBuilder &b,
                             ValueRange pointers)
    : code(code), kernel(kernel), b(b), loc(kernel.getLoc()),
      pointers(pointers.begin(), pointers.end()) {}

FailureOr<Value> ElementReader::refuse(Operation *op) {
  if (!refusal)
    refusal = op;
  return failure();
}

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Value ElementReader::keepInside(Value index, Value tensor, unsigned dim) {
  int64_t size = getShape(tensor)[dim];
  if (size <= 0 || known.contains(tensor))
    return index;
  if (!hasAsserts)
    hasAsserts = hasAssertions(kernel);
  if (!*hasAsserts)
    return index;
  return b.createOrFold<arith::MinUIOp>(loc, index,
                                        IndexCode{b, loc}.constant(size - 1));
}

FailureOr<Value> ElementReader::read(Value tensor, ArrayRef<Value> indices) {
  Key key{tensor.getAsOpaquePointer(), {}};
  for (Value index : indices)
    key.second.push_back(index.getAsOpaquePointer());
  auto entry = seen.find(key);
  if (entry != seen.end())
    return entry->second;
  FailureOr<Value> value = readNew(tensor, indices);
  if (succeeded(value))
    seen[key] = *value;
  return value;
}

FailureOr<Value> ElementReader::readNew(Value tensor, ArrayRef<Value> indices) {
  if (auto entry = known.find(tensor); entry != known.end()) {
    Value value = entry->second(indices);
    return value ? FailureOr<Value>(value)
                 : refuse(tensor.getParentBlock()->getParentOp());
  }
  if (auto result = dyn_cast<OpResult>(tensor))
    return readOp(result, indices);
  auto argument = cast<BlockArgument>(tensor);
  if (argument.getOwner() != &kernel.getBody().front())
    return refuse(argument.getOwner()->getParentOp());
  IndexCode math{b, loc};
  Value offset = math.toI64(math.linearize(indices, getShape(tensor)));
  Type element = getElementTypeOrSelf(tensor.getType());
  return loadElement(b, loc, element,
                     getElementAddress(b, loc,
                                       pointers[argument.getArgNumber()],
                                       element, offset));
}

FailureOr<Value> ElementReader::readScalar(Value scalar) {
  Key key{scalar.getAsOpaquePointer(), {}};
  auto entry = seen.find(key);
  if (entry != seen.end())
    return entry->second;
  FailureOr<Value> value = readNewScalar(scalar);
  if (succeeded(value))
    seen[key] = *value;
  return value;
}

FailureOr<Value> ElementReader::readNewScalar(Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != &kernel.getBody().front())
      return refuse(argument.getOwner()->getParentOp());
    return loadElement(b, loc, scalar.getType(),
                       pointers[argument.getArgNumber()]);
  }
  Operation *op = scalar.getDefiningOp();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return readBranch(branch, cast<OpResult>(scalar), {});
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (llvm::is_contained(getShape(extract.getTensor()), 0))
      return readNothing(scalar.getType());
    Indices indices;
    for (Value index : extract.getIndices()) {
      FailureOr<Value> at = readScalar(index);
      if (failed(at))
        return failure();
      indices.push_back(keepInside(*at, extract.getTensor(), indices.size()));
    }
    return read(extract.getTensor(), indices);
  }
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return refuse(op);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isa<ShapedType>(operand.getType()))
      return refuse(op);
    FailureOr<Value> value = readScalar(operand);
    if (failed(value))
      return failure();
    mapping.map(operand, *value);
  }
  return b.clone(*op, mapping)
      ->getResult(cast<OpResult>(scalar).getResultNumber());
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<Value> ElementReader::readOp(OpResult tensor,
                                       ArrayRef<Value> indices) {
  using Result = FailureOr<Value>;
  IndexCode math{b, loc};
  Operation *op = tensor.getOwner();
  auto reshaped = [&](Operation *op) -> Result {
    Value source = op->getOperand(0);
    return read(source,
                math.reshape(indices, getShape(tensor), getShape(source)));
  };
  if (!isa<RankedTensorType>(tensor.getType()))
    return refuse(op);
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::ConstantOp op) { return readConstant(op, indices); })
      .Case([&](tensor::EmptyOp op) {
        return readNothing(op.getType().getElementType());
      })
      .Case([&](tensor::SplatOp op) { return readScalar(op.getInput()); })
      .Case([&](linalg::LinalgOp op) {
        return readLinalg(op, tensor.getResultNumber(), indices);
      })
      .Case<tensor::CastOp, FenceOp>(
          [&](Operation *op) { return read(op->getOperand(0), indices); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          reshaped)
      .Case([&](tensor::ExtractSliceOp op) { return readSlice(op, indices); })
      .Case([&](tensor::InsertSliceOp op) { return readInserted(op, indices); })
      .Case([&](tensor::InsertOp op) { return readInserted(op, indices); })
      .Case([&](scf::ForOp op) { return readLoop(op, tensor, indices); })
      .Case([&](scf::IfOp op) { return readBranch(op, tensor, indices); })
      .Case([&](tensor::PadOp op) { return readPadded(op, indices); })
      .Case([&](tensor::ConcatOp op) { return readConcat(op, 0, indices); })
      .Case([&](tensor::GenerateOp op) -> Result {
        return readBody(op.getBody().front(), indices);
      })
      .Default([&](Operation *op) { return readPointwise(op, indices); });
}

FailureOr<Value> ElementReader::readConstant(arith::ConstantOp op,
                                             ArrayRef<Value> indices) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return refuse(op);
  Type type = elements.getElementType();
  if (elements.isSplat())
    return Value(arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(elements.getSplatValue<Attribute>())));
  FailureOr<std::string> bytes = getBytes(elements);
  if (failed(bytes))
    return refuse(op);
  IndexCode math{b, loc};
  Value offset = math.toI64(math.linearize(indices, getShape(op.getResult())));
  Value base = LLVM::AddressOfOp::create(b, loc, code.getConstant(loc, *bytes));
  return loadElement(b, loc, type,
                     getElementAddress(b, loc, base, type, offset));
}

/// An element that nobody may read, of a tensor without contents.
FailureOr<Value> ElementReader::readNothing(Type element) {
  return Value(arith::ConstantOp::create(b, loc, b.getZeroAttr(element)));
}

/// A number or index of an op: its attribute, or what computes it.
FailureOr<Value> ElementReader::readFold(OpFoldResult fold) {
  if (auto value = dyn_cast<Value>(fold))
    return readScalar(value);
  return IndexCode{b, loc}.constant(*getConstantIntValue(fold));
}

FailureOr<Value> ElementReader::readSlice(tensor::ExtractSliceOp op,
                                          ArrayRef<Value> indices) {
  IndexCode math{b, loc};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Indices at;
  unsigned next = 0;
  for (auto [i, fold] : llvm::enumerate(op.getMixedOffsets())) {
    FailureOr<Value> offset = readFold(fold);
    FailureOr<Value> stride = readFold(op.getMixedStrides()[i]);
    if (failed(offset) || failed(stride))
      return failure();
    Value index = dropped[i] ? math.constant(0) : indices[next++];
    Value scaled = b.createOrFold<arith::MulIOp>(loc, index, *stride);
    Value sum = math.add(scaled, *offset);
    at.push_back(isa<Value>(fold) ? keepInside(sum, op.getSource(), i) : sum);
  }
  return read(op.getSource(), at);
}

FailureOr<Value>
ElementReader::choose(Type type, Value condition,
                      function_ref<FailureOr<Value>()> then,
                      function_ref<FailureOr<Value>()> otherwise) {
  auto either = scf::IfOp::create(b, loc, type, condition, true);
  function_ref<FailureOr<Value>()> branches[] = {then, otherwise};
  for (auto [region, branch] : llvm::zip(either->getRegions(), branches)) {
    OpBuilder::InsertionGuard guard(b);
    Scope scope(*this);
    b.setInsertionPointToEnd(&region.front());
    FailureOr<Value> value = branch();
    if (failed(value))
      return failure();
    scf::YieldOp::create(b, loc, *value);
  }
  return either.getResult(0);
}

FailureOr<Value> ElementReader::readPadded(tensor::PadOp op,
                                           ArrayRef<Value> indices) {
  IndexCode math{b, loc};
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  Indices at;
  for (unsigned i = 0; i < indices.size(); ++i) {
    int64_t low = op.getStaticLow()[i];
    if (ShapedType::isDynamic(low))
      return refuse(op);
    Value here =
        math.isWithin(indices[i], low, low + getShape(op.getSource())[i]);
    inside = arith::AndIOp::create(b, loc, inside, here);
    at.push_back(
        b.createOrFold<arith::SubIOp>(loc, indices[i], math.constant(low)));
  }
  return choose(
      op.getType().getElementType(), inside,
      [&] { return read(op.getSource(), at); },
      [&] { return readBody(op.getRegion().front(), indices); });
}

FailureOr<Value> ElementReader::readConcat(tensor::ConcatOp op, unsigned input,
                                           ArrayRef<Value> indices) {
  Value source = op.getInputs()[input];
  if (input + 1 == op.getInputs().size())
    return read(source, indices);
  IndexCode math{b, loc};
  uint64_t dim = op.getDim();
  int64_t size = getShape(source)[dim];
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       indices[dim], math.constant(size));
  return choose(
      op.getType().getElementType(), inside,
      [&] { return read(source, indices); },
      [&] {
        Indices rest(indices);
        rest[dim] = b.createOrFold<arith::SubIOp>(loc, indices[dim],
                                                  math.constant(size));
        return readConcat(op, input + 1, rest);
      });
}

/// An elementwise op on tensors is the same op on their elements.
FailureOr<Value> ElementReader::readPointwise(Operation *op,
                                              ArrayRef<Value> indices) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return refuse(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = isa<RankedTensorType>(operand.getType())
                                 ? read(operand, indices)
                                 : readScalar(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return applyOp(b, loc, op, operands, 0);
}
