//===- ProgramBuilder.cpp - tensors of a kernel's body --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace memopt;

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitOpError("has no place in a fused kernel");
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Equal nodes are one: what two ops compute alike is computed once.
int ProgramBuilder::addNode(ProgramNode node) {
  std::vector<const void *> key{
      reinterpret_cast<const void *>(intptr_t(node.kind)),
      node.type.getAsOpaquePointer(),
      node.constant ? node.constant.getAsOpaquePointer() : nullptr,
      reinterpret_cast<const void *>(intptr_t(node.source)),
      node.index ? node.index.getAsOpaquePointer() : nullptr,
      reinterpret_cast<const void *>(intptr_t(node.reduction)),
      reinterpret_cast<const void *>(intptr_t(node.result))};
  if (node.op) {
    key.push_back(node.op->getName().getAsOpaquePointer());
    key.push_back(node.op->getAttrDictionary().getAsOpaquePointer());
  }
  for (int operand : node.operands)
    key.push_back(reinterpret_cast<const void *>(intptr_t(operand)));
  auto [entry, isNew] = nodeNumbers.try_emplace(key, program.nodes.size());
  if (isNew)
    program.nodes.push_back(std::move(node));
  return entry->second;
}

int ProgramBuilder::addSource(ElementsAttr data) {
  for (auto [i, source] : llvm::enumerate(program.sources))
    if (source.data == data)
      return i;
  program.sources.push_back({-1, data});
  return program.sources.size() - 1;
}

int ProgramBuilder::addIndex(AffineExpr index) {
  ProgramNode node{NodeKind::Index, IndexType::get(kernel.getContext())};
  node.index = index;
  return addNode(node);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<int> ProgramBuilder::evaluate(Value tensor, const Indices &indices) {
  std::vector<const void *> key{tensor.getAsOpaquePointer()};
  for (AffineExpr index : indices)
    key.push_back(index.getAsOpaquePointer());
  if (auto entry = known.find(key); entry != known.end())
    return entry->second;
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrIndexOrFloat())
    return emitError(tensor.getLoc())
           << "a " << tensor.getType() << " has no place in a fused kernel";
  FailureOr<int> node = failure();
  if (auto leaf = leaves.find(tensor); leaf != leaves.end()) {
    ProgramNode load{NodeKind::Load, type.getElementType()};
    load.source = leaf->second;
    load.index = math.linearize(indices, type.getShape());
    node = addNode(load);
  } else {
    node = evaluateOp(cast<OpResult>(tensor), indices);
  }
  if (succeeded(node))
    known[key] = *node;
  return node;
}

FailureOr<int> ProgramBuilder::evaluateOp(OpResult result,
                                          const Indices &indices) {
  Operation *op = result.getOwner();
  Indices inner = indices;
  FailureOr<Value> source = stepThroughView(result, inner, math);
  if (failed(source))
    return failure();
  if (*source)
    return evaluate(*source, inner);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(linalgOp, result.getResultNumber(), indices);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto data = dyn_cast<ElementsAttr>(constant.getValue()))
      return evaluateConstant(op, data, indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluateScalar(splat.getInput(), nullptr);
  if (isa<tensor::EmptyOp>(op))
    return addNode({NodeKind::Undefined, getElementTypeOrSelf(result)});
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op))
    if (elements.getElements().size() == 1)
      return evaluateScalar(elements.getElements()[0], nullptr);
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions())
    return refuse(op);
  ProgramNode node{NodeKind::Compute, getElementTypeOrSelf(result)};
  node.op = op;
  node.result = result.getResultNumber();
  for (Value operand : op->getOperands()) {
    FailureOr<int> value = isa<TensorType>(operand.getType())
                               ? evaluate(operand, indices)
                               : evaluateScalar(operand, nullptr);
    if (failed(value))
      return failure();
    node.operands.push_back(*value);
  }
  return addNode(node);
}

FailureOr<int> ProgramBuilder::evaluateConstant(Operation *op,
                                                ElementsAttr data,
                                                const Indices &indices) {
  auto type = cast<RankedTensorType>(data.getType());
  ProgramNode node{NodeKind::Constant, type.getElementType()};
  if (data.isSplat()) {
    node.constant = cast<TypedAttr>(data.getSplatValue<Attribute>());
    return addNode(node);
  }
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(data))
    return refuse(op);
  node.kind = NodeKind::Load;
  node.source = addSource(data);
  node.index = math.linearize(indices, type.getShape());
  return addNode(node);
}

FailureOr<int> ProgramBuilder::evaluateLinalg(linalg::LinalgOp op,
                                              unsigned result,
                                              const Indices &indices) {
  if (op.hasDynamicShape() || !llvm::hasSingleElement(op->getRegion(0)))
    return refuse(op);
  if (reduces(op))
    return evaluateReduction(op, result, indices);
  std::optional<Indices> loops =
      invertMap(op.getIndexingMapMatchingResult(op->getResult(result)), indices,
                op.getStaticLoopRanges(), math);
  if (!loops)
    return refuse(op) << ": its result does not have all its loops";
  Scope scope{op, *loops};
  return evaluateScalar(op.getBlock()->getTerminator()->getOperand(result),
                        &scope);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

FailureOr<int> ProgramBuilder::evaluateReduction(linalg::LinalgOp op,
                                                 unsigned result,
                                                 const Indices &indices) {
  FailureOr<int> found = getReduction(op);
  if (failed(found))
    return failure();
  int number = *found;
  for (auto [at, own] : llvm::zip_equal(indices, reducedAt[number][result]))
    if (!math.areEqual(at, own) && !math.getWishedSplit())
      return op->emitOpError("is read by its kernel at another place than "
                             "where it is computed");
  ProgramNode node{NodeKind::Reduced,
                   getElementTypeOrSelf(op->getResult(result))};
  node.reduction = number;
  node.result = result;
  return addNode(node);
}

FailureOr<int> ProgramBuilder::addReduction(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Scope scope{op, math.delinearize(math.linearizeLoops(0, program.sizes.size()),
                                   ranges)};
  uint64_t parallel = 0, reduced = 0;
  for (auto [loop, type] : llvm::zip(scope.loops, op.getIteratorTypesArray()))
    (type == utils::IteratorType::reduction ? reduced : parallel) |=
        IndexMath::getLoops(loop);
  if ((parallel & reduced) && !math.getWishedSplit())
    return refuse(op) << ": its shape and those of its kernel have no common "
                         "loops";
  // Inits and updates may add reductions of their own before this one.
  ProgramReduction reduction{op, {}, {}, reduced};
  SmallVector<Indices> at;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    at.push_back(applyMap(op.getMatchingIndexingMap(&init), scope.loops, math));
    FailureOr<int> node = evaluate(init.get(), at.back());
    if (failed(node))
      return failure();
    reduction.inits.push_back(*node);
  }
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input) &&
        failed(evaluateScalar(op.getMatchingBlockArgument(input), &scope)))
      return failure();
  int number = program.reductions.size();
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    ProgramNode node{NodeKind::Accumulator, getElementTypeOrSelf(init.get())};
    node.reduction = number;
    node.result = i;
    scope.known[op.getMatchingBlockArgument(&init)] = addNode(node);
  }
  program.reductions.push_back(reduction);
  reducedAt.push_back(at);
  for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
    FailureOr<int> node = evaluateScalar(yielded, &scope);
    if (failed(node))
      return failure();
    program.reductions[number].updates.push_back(*node);
  }
  return number;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

FailureOr<int> ProgramBuilder::getReduction(linalg::LinalgOp op) {
  if (auto entry = reductionOf.find(op); entry != reductionOf.end())
    return entry->second;
  FailureOr<int> number = addReduction(op);
  if (succeeded(number))
    reductionOf[op] = *number;
  return number;
}

int64_t ProgramBuilder::getRows() const {
  int64_t rows = 1;
  for (int64_t size : ArrayRef(program.sizes).take_front(program.rowLoops))
    rows *= size;
  return rows;
}

/// The row-major number of the point among the loops that reductions leave: the
/// first ones that leave `count`, else the last ones. Null where there are no
/// reductions. `count` becomes what those leave.
FailureOr<AffineExpr> ProgramBuilder::getKeptIndex(int64_t &count) {
  int64_t wanted = count;
  AffineExpr index;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (!reduces(op))
      continue;
    FailureOr<int> number = getReduction(op);
    if (failed(number))
      return failure();
    index = math.getConstant(0);
    count = 1;
    for (auto [loop, size] : llvm::enumerate(program.sizes))
      if (!(program.reductions[*number].loops >> loop & 1)) {
        index = index * size + math.getLoop(loop);
        count *= size;
      }
    if (count == wanted)
      break;
  }
  return index;
}

/// Where an output's elements lie among the points: at each, at each row, or at
/// what the reductions leave.
FailureOr<Indices> ProgramBuilder::getOutputIndices(Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  auto op = dyn_cast_or_null<linalg::LinalgOp>(output.getDefiningOp());
  if (op && reduces(op)) {
    FailureOr<int> number = getReduction(op);
    if (failed(number))
      return failure();
    return reducedAt[*number][cast<OpResult>(output).getResultNumber()];
  }
  int64_t count = type.getNumElements(), kept = count;
  if (count == program.getPoints())
    return math.delinearize(math.linearizeLoops(0, program.sizes.size()),
                            type.getShape());
  if (count == getRows())
    return math.delinearize(math.linearizeLoops(0, program.rowLoops),
                            type.getShape());
  FailureOr<AffineExpr> index = getKeptIndex(kept);
  if (failed(index))
    return failure();
  if (*index && (count == kept || math.getWishedSplit()))
    return math.delinearize(*index, type.getShape());
  return emitError(output.getLoc())
         << "a kernel of " << program.getPoints() << " points and " << getRows()
         << " rows makes a " << type
         << ": neither an element a point nor an element a row";
}

LogicalResult ProgramBuilder::addOutput(Value output, int number) {
  auto type = cast<RankedTensorType>(output.getType());
  FailureOr<Indices> indices = getOutputIndices(output);
  if (failed(indices))
    return failure();
  FailureOr<int> node = evaluate(output, *indices);
  if (failed(node))
    return failure();
  program.stores.push_back({number, math.linearize(*indices, type.getShape()),
                            *node, output.getLoc()});
  return success();
}

LogicalResult ProgramBuilder::addOutputs(ArrayRef<Value> outputs) {
  for (auto [number, output] : llvm::enumerate(outputs))
    if (failed(addOutput(output, number)))
      return failure();
  return success();
}

LogicalResult ProgramBuilder::addAsserts() {
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (!op->getRegion(0).getOps<cf::AssertOp>().empty() &&
        failed(addAssertsOf(op)))
      return failure();
  return success();
}

/// An op with an assertion runs over the points, or over the rows.
LogicalResult ProgramBuilder::addAssertsOf(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t points = 1;
  for (int64_t range : ranges)
    points *= range;
  int64_t rows = getRows();
  if (points != program.getPoints() && points != rows)
    return refuse(op) << ": its assertion is about " << points << " points";
  unsigned loops =
      points == program.getPoints() ? program.sizes.size() : program.rowLoops;
  Scope scope{op, math.delinearize(math.linearizeLoops(0, loops), ranges)};
  for (auto check : op->getRegion(0).getOps<cf::AssertOp>()) {
    FailureOr<int> node = evaluateScalar(check.getArg(), &scope);
    if (failed(node))
      return failure();
    program.asserts.push_back({*node, check.getMsg(), check.getLoc()});
  }
  return success();
}
