//===- PointMemory.cpp - loads and stores of a program at one point -------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/PointCode.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace memopt;

static Value getAddresses(OpBuilder &b, Location loc, Value buffer,
                          Type element, Value offsets) {
  auto width = cast<VectorType>(offsets.getType()).getNumElements();
  Type pointers = VectorType::get(width, buffer.getType());
  return LLVM::GEPOp::create(b, loc, pointers, getMemoryType(element), buffer,
                             ArrayRef<LLVM::GEPArg>{offsets});
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

static Value getLane(OpBuilder &b, Location loc, Value vector, int64_t lane) {
  return vector::ExtractOp::create(b, loc, vector, lane);
}

/// What lanes [0, valid) read at `getAddress`, one after the other: a GPU has
/// no masked accesses.
static Value loadLanes(OpBuilder &b, Location loc, VectorType type,
                       int64_t valid,
                       function_ref<Value(int64_t lane)> getAddress) {
  Type element = type.getElementType();
  Value result = getConstant(b, loc, type, isa<FloatType>(element) ? 0 : 1);
  for (int64_t lane = 0; lane < valid; ++lane) {
    Value number = loadElement(b, loc, element, getAddress(lane));
    result = vector::InsertOp::create(b, loc, number, result, lane);
  }
  return result;
}

static void storeLanes(OpBuilder &b, Location loc, Value value, int64_t valid,
                       function_ref<Value(int64_t lane)> getAddress) {
  for (int64_t lane = 0; lane < valid; ++lane)
    storeElement(b, loc, getLane(b, loc, value, lane), getAddress(lane));
}

/// Addresses of neighbours from `address` on.
static auto getNeighbours(OpBuilder &b, Location loc, Value address,
                          Type element) {
  return [=, &b](int64_t lane) -> Value {
    return LLVM::GEPOp::create(b, loc, address.getType(),
                               getElementTypeOrSelf(getMemoryType(element)),
                               address, ArrayRef<LLVM::GEPArg>{int32_t(lane)});
  };
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// Lanes that do not exist hold 0, or 1 in integers, by which one may divide.
Value PointCode::loadVector(Value address, Type element, int64_t width,
                            int64_t valid, int64_t alignment) {
  auto type = VectorType::get(width, element);
  Value mask = getMask(width, valid);
  if (!mask)
    return loadElement(b, loc, type, address, alignment);
  if (lanes.aligned)
    return loadLanes(b, loc, type, valid,
                     getNeighbours(b, loc, address, element));
  auto memory = cast<VectorType>(getMemoryType(type));
  Value other = getConstant(b, loc, memory,
                            isa<FloatType>(memory.getElementType()) ? 0 : 1);
  Value value = LLVM::MaskedLoadOp::create(b, loc, memory, address, mask, other,
                                           getElementBytes(element));
  return fromMemory(b, loc, value, type);
}

void PointCode::storeVector(Value value, Value address, int64_t valid,
                            int64_t alignment) {
  auto type = cast<VectorType>(value.getType());
  Value mask = getMask(type.getNumElements(), valid);
  if (!mask)
    return storeElement(b, loc, value, address, alignment);
  if (lanes.aligned)
    return storeLanes(b, loc, value, valid,
                      getNeighbours(b, loc, address, type));
  LLVM::MaskedStoreOp::create(b, loc, toMemory(b, loc, value), address, mask,
                              getElementBytes(type));
}

Value PointCode::loadRow(Value buffer, Type element, Value offset) {
  Value address = getElementAddress(b, loc, buffer, element, offset);
  if (lanes.loop < 0)
    return loadElement(b, loc, element, address);
  return loadVector(address, element, lanes.width, lanes.valid,
                    getElementBytes(element));
}

void PointCode::storeRow(Value buffer, Value value, Value offset) {
  Value address = getElementAddress(b, loc, buffer, value.getType(), offset);
  if (lanes.loop < 0)
    return storeElement(b, loc, value, address);
  storeVector(widen(value), address, lanes.valid,
              getElementBytes(value.getType()));
}

/// The first lane's index is a multiple of what divides all its terms; the
/// lanes' loop stands at a multiple of the width.
int64_t PointCode::getAlignment(const LinearIndex &index, Type element) const {
  int64_t bytes = getElementBytes(element);
  if (!lanes.aligned)
    return bytes;
  constexpr int64_t most = 64; // on which buffers start
  uint64_t common = most / bytes;
  auto add = [&](int64_t term) {
    common = std::gcd(common, uint64_t(std::abs(term)));
  };
  add(index.constant);
  for (auto [loop, factor] : llvm::enumerate(index.factors))
    if (program.sizes[loop] > 1)
      add(int(loop) == lanes.loop ? factor * lanes.width : factor);
  return std::max<int64_t>(1, common & -common) * bytes;
}

//===----------------------------------------------------------------------===//
// Places anywhere
//===----------------------------------------------------------------------===//

Value PointCode::loadAt(Value buffer, Type element, Value offsets) {
  auto wide = dyn_cast<VectorType>(offsets.getType());
  if (!wide)
    return loadElement(b, loc, element,
                       getElementAddress(b, loc, buffer, element, offsets));
  int64_t width = wide.getNumElements();
  auto type = VectorType::get(width, element);
  if (lanes.aligned)
    return loadLanes(b, loc, type, lanes.valid, [&](int64_t lane) {
      return getElementAddress(b, loc, buffer, element,
                               getLane(b, loc, offsets, lane));
    });
  auto memory = cast<VectorType>(getMemoryType(type));
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get(width, b.getI1Type()), true));
  if (Value valid = getMask(width, lanes.valid))
    mask = valid;
  Value other = getConstant(b, loc, memory,
                            isa<FloatType>(memory.getElementType()) ? 0 : 1);
  Value value = LLVM::masked_gather::create(
      b, loc, memory, getAddresses(b, loc, buffer, element, offsets), mask,
      ValueRange(other), getElementBytes(element));
  return fromMemory(b, loc, value, type);
}

void PointCode::storeAt(Value buffer, Value value, Value offsets) {
  auto wide = dyn_cast<VectorType>(offsets.getType());
  if (!wide)
    return storeElement(
        b, loc, value,
        getElementAddress(b, loc, buffer, value.getType(), offsets));
  Type element = getElementTypeOrSelf(value);
  if (lanes.aligned)
    return storeLanes(b, loc, widen(value), lanes.valid, [&](int64_t lane) {
      return getElementAddress(b, loc, buffer, element,
                               getLane(b, loc, offsets, lane));
    });
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          VectorType::get(wide.getNumElements(), b.getI1Type()), true));
  if (Value valid = getMask(wide.getNumElements(), lanes.valid))
    mask = valid;
  LLVM::masked_scatter::create(b, loc, toMemory(b, loc, widen(value)),
                               getAddresses(b, loc, buffer, element, offsets),
                               mask, getElementBytes(element));
}

/// The expression's loops stand for the node's operands. Unsigned, a negative
/// offset is beyond the source as well.
Value PointCode::gather(const ProgramNode &node) {
  SmallVector<Value> saved;
  std::swap(saved, position);
  Lanes savedLanes = lanes;
  bool wide = isWide(node.loops);
  position = saved;
  SmallVector<Value> operands;
  for (int operand : node.operands) {
    Value index = wide ? getWide(operand) : get(operand);
    Type type = withElement(index.getType(), b.getI64Type());
    operands.push_back(
        index.getType() == type
            ? index
            : arith::IndexCastOp::create(b, loc, type, index).getResult());
  }
  position = operands;
  lanes.loop = wide ? int(position.size()) : -1; // the operands have lanes
  Value offsets = getOffset(node.index);
  position = saved;
  lanes = savedLanes;
  if (wide)
    offsets = widen(offsets);
  if (node.within) {
    Type type = offsets.getType();
    TypedAttr last = b.getI64IntegerAttr(node.within - 1);
    if (auto vector = dyn_cast<VectorType>(type))
      last = DenseElementsAttr::get(vector, Attribute(last));
    offsets = arith::MinUIOp::create(b, loc, offsets,
                                     arith::ConstantOp::create(b, loc, last));
  }
  return loadAt(sources[node.source], node.type, offsets);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Elements of all columns stand side by side, and those of the lanes after
/// each other.
bool PointCode::isBlock(const LinearIndex &index) const {
  if (columns.count == 1 || lanes.loop < 0 ||
      index.factors[lanes.loop] != columns.count)
    return false;
  int64_t stride = 1;
  for (unsigned loop = program.sizes.size(); loop-- > 0;)
    if (columns.loops >> loop & 1) {
      if (index.factors[loop] != stride)
        return false;
      stride *= program.sizes[loop];
    }
  return true;
}

Value PointCode::loadBlock(int number, const LinearIndex &index) {
  const ProgramNode &node = program.nodes[number];
  std::pair<int, int64_t> key{number, -2};
  Value block;
  for (auto &scope : llvm::reverse(scopes))
    if ((block = scope.lookup(key)))
      break;
  int64_t count = columns.count;
  if (!block) {
    int64_t outer = column;
    enterColumn(0);
    Lanes wide = lanes;
    lanes.loop = -1; // the offset of the first lane
    Value offset = getOffset(node.index);
    lanes = wide;
    enterColumn(outer);
    Value address =
        getElementAddress(b, loc, sources[node.source], node.type, offset);
    LinearIndex first = index; // column 0
    for (unsigned loop = 0; loop < first.factors.size(); ++loop)
      if (columns.loops >> loop & 1)
        first.factors[loop] = 0;
    block = loadVector(address, node.type, lanes.width * count,
                       lanes.valid * count, getAlignment(first, node.type));
    scopes.back()[key] = block;
  }
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    picked.push_back(lane * count + column);
  return vector::ShuffleOp::create(b, loc, block, block, picked);
}

Value PointCode::load(int number) {
  const ProgramNode &node = program.nodes[number];
  Value buffer = sources[node.source];
  if (!isWide(node.loops))
    return loadAt(buffer, node.type, getOffset(node.index));
  std::optional<LinearIndex> index = math.getLinear(node.index);
  if (index && isBlock(*index))
    return loadBlock(number, *index);
  if (index && index->factors[lanes.loop] == 1) {
    Lanes wide = lanes;
    lanes.loop = -1;
    Value offset = getOffset(node.index);
    lanes = wide;
    return loadVector(getElementAddress(b, loc, buffer, node.type, offset),
                      node.type, lanes.width, lanes.valid,
                      getAlignment(*index, node.type));
  }
  return loadAt(buffer, node.type, getOffset(node.index));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The columns' vectors interleaved: lane 0 of each, lane 1 of each, ...
void PointCode::storeBlock(const ProgramStore &store, LinearIndex index,
                           Value buffer, ArrayRef<Value> values) {
  Value block = values[0];
  int64_t width = lanes.width, count = values.size();
  for (int64_t c = 1; c < count; ++c) { // the columns behind each other
    Value next = values[c];
    if (c > 1) { // a shuffle takes two vectors of one width
      SmallVector<int64_t> grown;
      for (int64_t i = 0; i < c * width; ++i)
        grown.push_back(std::min(i, width - 1));
      next = vector::ShuffleOp::create(b, loc, next, next, grown);
    }
    SmallVector<int64_t> joined;
    for (int64_t i = 0; i < (c + 1) * width; ++i)
      joined.push_back(i);
    block = vector::ShuffleOp::create(b, loc, block, next, joined);
  }
  SmallVector<int64_t> interleaved;
  for (int64_t lane = 0; lane < width; ++lane)
    for (int64_t c = 0; c < count; ++c)
      interleaved.push_back(c * width + lane);
  if (count > 1)
    block = vector::ShuffleOp::create(b, loc, block, block, interleaved);
  enterColumn(0);
  Lanes wide = lanes;
  lanes.loop = -1;
  Value offset = getOffset(store.index);
  lanes = wide;
  enterColumn(-1);
  for (unsigned loop = 0; loop < index.factors.size(); ++loop)
    if (columns.loops >> loop & 1)
      index.factors[loop] = 0; // column 0
  storeVector(block, getElementAddress(b, loc, buffer, block.getType(), offset),
              lanes.valid * count, getAlignment(index, block.getType()));
}

void PointCode::store(const ProgramStore &store, Value buffer,
                      ArrayRef<Value> values) {
  std::optional<LinearIndex> index = math.getLinear(store.index);
  uint64_t loops = IndexMath::getLoops(store.index);
  if (index && values.size() > 1 && isBlock(*index)) {
    SmallVector<Value> wide;
    for (Value value : values)
      wide.push_back(widen(value));
    return storeBlock(store, *index, buffer, wide);
  }
  for (auto [c, value] : llvm::enumerate(values)) {
    if (values.size() > 1)
      enterColumn(c);
    if (!isWide(loops)) {
      storeAt(buffer, value, getOffset(store.index));
    } else if (index && index->factors[lanes.loop] == 1) {
      Lanes wide = lanes;
      lanes.loop = -1;
      Value offset = getOffset(store.index);
      lanes = wide;
      storeVector(widen(value),
                  getElementAddress(b, loc, buffer, value.getType(), offset),
                  lanes.valid, getAlignment(*index, value.getType()));
    } else {
      storeAt(buffer, value, getOffset(store.index));
    }
  }
  if (values.size() > 1)
    enterColumn(-1);
}
