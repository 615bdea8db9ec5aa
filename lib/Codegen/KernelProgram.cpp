//===- KernelProgram.cpp - what a kernel computes at each point -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/KernelProgram.h"
#include "ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

bool memopt::hasAssertions(KernelOp kernel) {
  Operation *around = kernel->getParentOfType<FunctionOpInterface>();
  return (around ? around : kernel)
      ->walk([](cf::AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

int64_t KernelProgram::getPoints() const {
  int64_t points = 1;
  for (int64_t size : sizes)
    points *= size;
  return points;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Ops that take values in any order: exactly (integers, minima and maxima), or
/// as far as a sum or product of floats is one in any order.
static bool takesAnyOrder(Operation *op) {
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

static bool readsAccumulator(const KernelProgram &program, int number,
                             int reduction) {
  const ProgramNode &node = program.nodes[number];
  if (node.kind == NodeKind::Accumulator)
    return node.reduction == reduction;
  return llvm::any_of(node.operands, [&](int operand) {
    return readsAccumulator(program, operand, reduction);
  });
}

std::optional<ReductionStep>
KernelProgram::getStep(const ProgramReduction &reduction,
                       unsigned result) const {
  int number = &reduction - reductions.data();
  const ProgramNode &update = nodes[reduction.updates[result]];
  if (update.kind != NodeKind::Compute || update.operands.size() != 2 ||
      !takesAnyOrder(update.op))
    return std::nullopt;
  for (int i : {0, 1}) {
    const ProgramNode &sum = nodes[update.operands[i]];
    int value = update.operands[1 - i];
    if (sum.kind == NodeKind::Accumulator && sum.reduction == number &&
        sum.result == result && !readsAccumulator(*this, value, number))
      return ReductionStep{update.op, value};
  }
  return std::nullopt;
}

/// True for a whole number that grows with the only loop of `loops`.
bool KernelProgram::growsAlong(int number, uint64_t loops) const {
  const ProgramNode *node = &nodes[number];
  if (node->kind == NodeKind::Compute && isa<arith::IndexCastOp>(node->op))
    node = &nodes[node->operands[0]];
  if (node->kind != NodeKind::Index || !llvm::isPowerOf2_64(loops))
    return false;
  std::optional<LinearIndex> index = getMath().getLinear(node->index);
  return index && index->factors[llvm::Log2_64(loops)] > 0;
}

/// select(x > m, place, p), beside m = max(x, m); or the same with < and min.
std::optional<unsigned>
KernelProgram::getFollowed(const ProgramReduction &reduction,
                           unsigned result) const {
  int number = &reduction - reductions.data();
  auto isSum = [&](int node) {
    return nodes[node].kind == NodeKind::Accumulator &&
           nodes[node].reduction == number;
  };
  const ProgramNode &update = nodes[reduction.updates[result]];
  if (update.kind != NodeKind::Compute || !isa<arith::SelectOp>(update.op) ||
      !isSum(update.operands[2]) ||
      nodes[update.operands[2]].result != result ||
      !growsAlong(update.operands[1], reduction.loops))
    return std::nullopt;
  const ProgramNode &compare = nodes[update.operands[0]];
  auto op = compare.op ? dyn_cast<arith::CmpFOp>(compare.op) : nullptr;
  if (!op || compare.kind != NodeKind::Compute)
    return std::nullopt;
  bool greater = op.getPredicate() == arith::CmpFPredicate::OGT;
  if (!greater && op.getPredicate() != arith::CmpFPredicate::OLT)
    return std::nullopt;
  int x = compare.operands[0], sum = compare.operands[1];
  if (isSum(x)) {
    std::swap(x, sum);
    greater = !greater;
  }
  if (!isSum(sum))
    return std::nullopt;
  std::optional<ReductionStep> step = getStep(reduction, nodes[sum].result);
  if (!step || step->value != x ||
      !(greater ? isa<arith::MaximumFOp, arith::MaxNumFOp>(step->op)
                : isa<arith::MinimumFOp, arith::MinNumFOp>(step->op)))
    return std::nullopt;
  return nodes[sum].result;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Sets the loops on which each node depends. A reduction's result is taken to
/// depend on every loop that it does not reduce.
static void setLoops(KernelProgram &program) {
  uint64_t all = (uint64_t(1) << program.sizes.size()) - 1;
  for (ProgramNode &node : program.nodes) {
    if (node.kind == NodeKind::Load || node.kind == NodeKind::Index)
      node.loops = IndexMath::getLoops(node.index);
    else if (node.kind == NodeKind::Accumulator)
      node.loops = all;
    else if (node.kind == NodeKind::Reduced)
      node.loops = all & ~program.reductions[node.reduction].loops;
    for (int operand : node.operands)
      node.loops |= program.nodes[operand].loops;
  }
}

/// The loops to start from: rows and columns, or the points alone.
static void setLoops(KernelProgram &program, KernelShape shape) {
  int64_t rows = shape.rows ? shape.rows : 1;
  if (rows != 1)
    program.sizes.push_back(rows);
  program.rowLoops = program.sizes.size();
  if (shape.points / rows != 1)
    program.sizes.push_back(shape.points / rows);
  if (!shape.rows)
    program.rowLoops = program.sizes.size();
}

static void split(KernelProgram &program, LoopSplit split) {
  int64_t &outer = program.sizes[split.loop];
  outer /= split.inner;
  program.sizes.insert(program.sizes.begin() + split.loop + 1, split.inner);
  program.rowLoops += split.loop < program.rowLoops;
}

static FailureOr<KernelProgram> buildEmpty(KernelOp kernel,
                                           ArrayRef<Value> outputs) {
  for (Value output : outputs)
    if (cast<RankedTensorType>(output.getType()).getNumElements())
      return emitError(output.getLoc())
             << "an op that reduces no elements has no place in a fused kernel";
  KernelProgram program{kernel.getContext()};
  program.empty = true;
  return program;
}

FailureOr<KernelProgram>
memopt::buildKernelProgram(KernelOp kernel, ArrayRef<Value> outputs,
                           const ProgramLeaves &leaves) {
  for (Value output : outputs)
    if (auto type = dyn_cast<RankedTensorType>(output.getType());
        !type || !type.hasStaticShape())
      return emitError(output.getLoc())
             << "a " << output.getType() << " has no place in a fused kernel";
  FailureOr<KernelShape> shape = getKernelShape(kernel, outputs);
  if (failed(shape))
    return failure();
  if (shape->points == 0)
    return buildEmpty(kernel, outputs);
  KernelProgram start{kernel.getContext()};
  setLoops(start, *shape);
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    start.sources.push_back({int(i), {}});
  // Each attempt has more loops than the one before, so that there are at most
  // as many as a size has prime factors.
  while (start.sizes.size() < 60) {
    KernelProgram program = start;
    ProgramBuilder builder(kernel, leaves, program);
    if (failed(builder.addOutputs(outputs)) || failed(builder.addAsserts()))
      return failure();
    if (auto wish = builder.getMath().getWishedSplit()) {
      split(start, *wish);
      continue;
    }
    joinLoops(program);
    setLoops(program);
    return program;
  }
  return kernel.emitOpError("needs more than 60 loops");
}

FailureOr<KernelProgram> memopt::buildKernelProgram(KernelOp kernel) {
  ProgramLeaves leaves;
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isa<TensorType>(argument.getType()))
      leaves[argument] = argument.getArgNumber();
  return buildKernelProgram(kernel, llvm::to_vector(kernel.getYielded()),
                            leaves);
}
