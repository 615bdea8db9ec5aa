//===- ProductEmitter.cpp - a product and what surrounds it ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductEmitter.h"
#include "GatherKernel.h"
#include "MemOpt/Codegen/Memory.h"
#include "PieceEpilogue.h"
#include "ProductBias.h"
#include "ProductCall.h"
#include "Workspace.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

ProductEmitter::ProductEmitter(GpuKernelBuilder &builder, linalg::LinalgOp op,
                               const ProductShape &shape)
    : builder(builder), kernel(builder.getKernel()), op(op), shape(shape),
      fromZero(startsFromZero(op)), result(op->getResult(0)),
      capacity(builder.getModule().gatherBytes) {}

LogicalResult ProductEmitter::refuse(Operation *refusal, std::string &why) {
  why = "what surrounds it has no code";
  if (refusal)
    why += " because of '" + refusal->getName().getStringRef().str() + "'";
  return failure();
}

//===----------------------------------------------------------------------===//
// The way
//===----------------------------------------------------------------------===//

/// What cuBLASLt multiplies (GpuProduct.h).
static bool takesTypes(Type a, Type b, Type c) {
  bool isNarrow = a.isBF16() || a.isF16();
  return a == b && (c == a || (isNarrow && c.isF32()));
}

void ProductEmitter::chooseTypes() {
  Type sums = getElement(result);
  const StridedView *views[] = {&shape.a, &shape.b};
  for (int x = 0; x < 2; ++x) {
    elements[x] = getElement(views[x]->base);
    isComputed[x] = !isa<BlockArgument>(views[x]->base);
  }
  elements[2] = sums;
  if (takesTypes(elements[0], elements[1], sums))
    return;
  Type common = Float32Type::get(op->getContext());
  if (sums.isF64())
    common = sums;
  for (int x = 0; x < 2; ++x) {
    isComputed[x] |= elements[x] != common;
    elements[x] = common;
  }
  elements[2] = common;
}

bool ProductEmitter::isFree(unsigned output) {
  unsigned inputs = kernel.getInputs().size();
  Value buffer = builder.getBuffer(inputs + output);
  for (auto [i, other] : llvm::enumerate(builder.getBuffers()))
    if (other == buffer && i != inputs + output)
      return false;
  return true;
}

/// The one output is the product, rounded as the product itself can be.
bool ProductEmitter::chooseRounded() {
  if (!outputs.plain || bias || !outputs.pointwise.empty() ||
      !outputs.reshaped.empty() || !fromZero ||
      elements[2] != getElement(op->getResult(0)))
    return false;
  Type rounded = getElement(kernel.getYielded()[*outputs.plain]);
  if (!takesTypes(elements[0], elements[1], rounded))
    return false;
  elements[2] = rounded;
  return true;
}

void ProductEmitter::chooseDestination() {
  outputs = classifyOutputs(kernel, result);
  behind.clear();
  destination = {};
  bool isRounded = chooseRounded();
  bool isExact = elements[2] == getElement(result);
  SmallVector<unsigned> candidates;
  if (outputs.plain && (isExact || isRounded))
    candidates.push_back(*outputs.plain);
  // In place, each point reads its own product only.
  if (isExact && outputs.reshaped.empty())
    llvm::append_range(candidates, outputs.pointwise);
  std::optional<unsigned> chosen;
  for (unsigned output : candidates)
    if (!chosen && isFree(output) &&
        getElement(kernel.getYielded()[output]) == elements[2])
      chosen = output;
  if (chosen)
    destination = builder.getAddress(kernel.getInputs().size() + *chosen);
  else if (isRounded)
    elements[2] = getElement(result);
  if (outputs.plain && outputs.plain != chosen)
    behind.push_back(*outputs.plain);
  llvm::append_range(behind, outputs.pointwise);
  llvm::append_range(behind, outputs.reshaped);
  llvm::sort(behind);
}

static int64_t getTensorBytes(Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::alignTo(type.getNumElements() * getElementBytes(element),
                       gpuBoundary);
}

LogicalResult ProductEmitter::choosePlan(std::string &why) {
  SmallVector<int64_t> types;
  for (Type element : elements)
    types.push_back(*getRuntimeType(element));
  int64_t bytes = getTensorBytes(result, elements[2]);
  bool isExact = elements[2] == getElement(result);
  bool isWhole = destination.pointer || (isExact && bytes <= capacity / 2);
  if (!destination.pointer && !outputs.reshaped.empty() && !isWhole) {
    why = "what follows it reads its result out of order, and " +
          std::to_string(bytes) + " bytes do not fit into the workspace";
    return failure();
  }
  std::optional<ProductPlan> found;
  if (isWhole)
    found = planProduct(shape, types, /*packs=*/false, bias.has_value(), why);
  if (!found && outputs.reshaped.empty() && !bias) {
    found = planProduct(shape, types, /*packs=*/true, /*hasBias=*/false, why);
    destination = {};
    // What lay there already is now made from the pieces.
    if (found && outputs.plain && !llvm::is_contained(behind, *outputs.plain))
      behind.insert(behind.begin(), *outputs.plain);
  }
  if (!found)
    return failure();
  plan = *found;
  return success();
}

void ProductEmitter::findBias() {
  Type type = elements[2];
  if (!fromZero || !(type.isF32() || type.isF64()) ||
      getElement(result) != type)
    return;
  if (std::optional<ProductBias> found = findProductBias(op, shape)) {
    bias = found->view;
    result = found->sum;
  }
}

//===----------------------------------------------------------------------===//
// Around the product
//===----------------------------------------------------------------------===//

LogicalResult ProductEmitter::makeOperands(std::string &why) {
  const StridedView *views[] = {&shape.a, &shape.b};
  for (int x = 0; x < 2; ++x) {
    if (!isComputed[x]) {
      unsigned number = cast<BlockArgument>(views[x]->base).getArgNumber();
      bases[x] = builder.getAddress(number);
      continue;
    }
    Value operand = op->getOperand(x);
    int64_t bytes = getTensorBytes(operand, elements[x]);
    if (used + bytes > capacity) {
      why = "operand #" + std::to_string(x) +
            " has to be computed first, and " + std::to_string(bytes) +
            " bytes do not fit into the workspace";
      return failure();
    }
    bases[x] = builder.getWorkspaceAt(used, bytes);
    used += bytes;
    Operation *refusal = nullptr;
    if (failed(emitGpuTensor(builder, operand, elements[x], bases[x].pointer,
                             refusal)))
      return refuse(refusal, why);
  }
  return success();
}

LogicalResult ProductEmitter::emitBehind(std::string &why) {
  Operation *refusal = nullptr;
  if (!plan.packs && !behind.empty() &&
      failed(emitGpuOutputs(builder, behind, {result, destination.pointer},
                            refusal)))
    return refuse(refusal, why);
  if (failed(emitGpuOutputs(builder, outputs.others, {}, refusal)))
    return refuse(refusal, why);
  return success();
}

static void report(KernelOp kernel, const ProductShape &shape,
                   const ProductPlan &plan, bool hasBias, bool hasMore) {
  std::string how = plan.gathers[0] ? ", a gathered" : "";
  how += plan.gathers[1] ? ", b gathered" : "";
  how += hasBias ? ", with its bias" : "";
  how += hasMore ? ", with an epilogue" : "";
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("product").category("memopt-to-nvvm"))
      << "product " + shape.print() + how;
}

LogicalResult ProductEmitter::emit(std::string &why) {
  chooseTypes();
  // An operand to be converted is stored as the op reads it.
  std::optional<ProductShape> stored = getProductShape(op, why, isComputed);
  if (!stored)
    return failure();
  shape = *stored;
  findBias();
  while (true) {
    chooseDestination();
    if (succeeded(choosePlan(why)))
      break;
    if (!bias)
      return failure();
    bias.reset();
    result = op->getResult(0);
  }
  report(kernel, shape, plan, bias.has_value(), !behind.empty());
  if (!destination.pointer && !plan.packs) {
    int64_t bytes = getTensorBytes(result, elements[2]);
    destination = builder.getWorkspaceAt(used, bytes);
    used += bytes;
  }
  if (failed(makeOperands(why)))
    return failure();
  Operation *refusal = nullptr;
  if (!fromZero && !plan.packs &&
      failed(emitGpuTensor(builder, op.getDpsInits().front(), elements[2],
                           destination.pointer, refusal)))
    return refuse(refusal, why);
  if (failed(emitPieces(plan, why)))
    return failure();
  return emitBehind(why);
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

int64_t ProductEmitter::getBytes(const ProductPlan &plan, int x) {
  if (!plan.isGathered(x))
    return 0;
  return llvm::alignTo(plan.getCount(x) * getElementBytes(elements[x]),
                       gpuBoundary);
}

int64_t ProductEmitter::getBytes(const ProductPlan &plan) {
  return getBytes(plan, 0) + getBytes(plan, 1) + getBytes(plan, 2);
}

LogicalResult ProductEmitter::emitPieces(const ProductPlan &plan,
                                         std::string &why) {
  if (getBytes(plan) <= capacity - used)
    return emitPiece(plan, why);
  return split(plan, why);
}

/// The outermost loop of a copied operand through which the copy can be cut;
/// the sums stay whole.
static PlannedLoop *findCut(ProductPlan &plan, int x) {
  for (PlannedLoop &loop : plan.loops)
    if (loop.isOf(x) && loop.owner != MEMOPT_GPU_K && loop.size > 1)
      return &loop;
  return nullptr;
}

/// Cuts a loop of the largest copy into as few pieces as fit. The outer loops
/// of a dimension are cut down to one point before the next one is, so that
/// what is left of the dimension still has one stride.
LogicalResult ProductEmitter::split(const ProductPlan &plan, std::string &why) {
  ProductPlan piece = plan;
  SmallVector<int> order{0, 1, 2};
  llvm::stable_sort(order, [&](int x, int y) {
    return getBytes(plan, x) > getBytes(plan, y);
  });
  PlannedLoop *cut = nullptr;
  for (int x : order)
    if (!cut && plan.isGathered(x))
      cut = findCut(piece, x);
  if (!cut) {
    why = "one row of it takes " + std::to_string(getBytes(plan)) +
          " bytes of the workspace, which has " +
          std::to_string(capacity - used) + " left";
    return failure();
  }
  // pieces = ceil(cut bytes / room for them)
  int64_t fixed = 3 * gpuBoundary, whole = 0;
  for (int x = 0; x < 3; ++x)
    (cut->isOf(x) ? whole : fixed) += getBytes(plan, x);
  int64_t room = capacity - used - fixed, size = cut->size, begin = cut->begin;
  int64_t most = room > 0 ? room / llvm::divideCeil(whole, size) : 1;
  most = std::clamp<int64_t>(most, 1, size - 1);
  int64_t each = llvm::divideCeil(size, llvm::divideCeil(size, most));
  for (int64_t at = 0; at < size; at += each) {
    cut->begin = begin + at;
    cut->size = std::min(each, size - at);
    if (failed(emitPieces(piece, why)))
      return failure();
  }
  return success();
}

/// Where operand x of a piece begins, gathered to `place` if need be.
GpuAddress ProductEmitter::getOperand(const ProductPlan &plan, int x,
                                      int64_t &place) {
  int64_t offset = x == 0 ? shape.a.offset : x == 1 ? shape.b.offset : 0;
  SmallVector<GatherLoop> loops;
  for (const PlannedLoop &loop : plan.loops) {
    if (!loop.isOf(x))
      continue;
    loops.push_back({loop.size, loop.strides[x]});
    offset += loop.begin * loop.strides[x];
  }
  if (!plan.isGathered(x))
    return builder.getAddress(x < 2 ? bases[x] : destination, elements[x],
                              offset);
  GpuAddress packed = builder.getWorkspaceAt(place, getBytes(plan, x));
  place += getBytes(plan, x);
  if (x < 2)
    emitGatherKernel(builder.getLauncher(), builder.getLoc(), elements[x],
                     loops, bases[x].pointer, offset, packed.pointer);
  return packed;
}

LogicalResult ProductEmitter::emitPiece(const ProductPlan &plan,
                                        std::string &why) {
  int64_t place = used;
  SmallVector<GpuAddress, 3> operands;
  for (int x = 0; x < 3; ++x)
    operands.push_back(getOperand(plan, x, place));
  emitCall(plan, operands, place);
  if (!plan.packs)
    return success();
  Operation *refusal = nullptr;
  PieceEpilogue epilogue{op, shape, plan, elements[2], behind, !fromZero};
  if (failed(
          emitPieceEpilogue(builder, epilogue, operands[2].pointer, refusal)))
    return refuse(refusal, why);
  return success();
}

void ProductEmitter::emitCall(const ProductPlan &plan,
                              ArrayRef<GpuAddress> operands, int64_t place) {
  int64_t flags = builder.getModule().tf32 ? MEMOPT_GPU_ALLOW_TF32 : 0;
  if (hasBegun && !plan.packs)
    flags |= MEMOPT_GPU_CONTINUES;
  hasBegun = true;
  Value added;
  if (bias) {
    int64_t offset = bias->offset, stride = 1;
    for (const PlannedLoop &loop : llvm::reverse(plan.loops))
      if (loop.owner == MEMOPT_GPU_N) {
        offset += loop.begin * stride;
        stride *= shape.loops[loop.owner][loop.number].size;
      }
    unsigned number = cast<BlockArgument>(bias->base).getArgNumber();
    added = builder.getAddress(builder.getAddress(number), elements[2], offset)
                .pointer;
  }
  emitProductCall(builder,
                  plan.getNumbers(flags, /*adds=*/!fromZero && !plan.packs),
                  operands, added, place);
}
