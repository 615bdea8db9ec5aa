//===- FormKernels.cpp - memopt-form-kernels -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "MemOpt/Analysis/Effects.h"
#include "MemOpt/Analysis/FenceCondition.h"
#include "MemOpt/Analysis/FusedStep.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Kernels/Passes.h"
#include "Results.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace memopt {
#define GEN_PASS_DEF_FORMKERNELS
#include "MemOpt/Kernels/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// What can be part of a kernel
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitError("memopt-form-kernels: '") << op->getName() << "' ";
}

/// True where the op stays between the kernels: it makes no tensor, or it is a
/// global's.
static bool staysOutside(Operation *op) {
  return isa<ml_program::GlobalLoadOp, ml_program::GlobalStoreOp>(op) ||
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

static LogicalResult checkOp(Operation *op) {
  if (isa<ml_program::GlobalLoadOp, ml_program::GlobalStoreOp>(op))
    return success();
  auto checked =
      op->walk<WalkOrder::PreOrder>([&](Operation *inner) -> WalkResult {
        if (isa<KernelOp>(inner))
          return refuse(inner) << "is a kernel already: the pass runs once";
        if (isa_and_nonnull<MemOptDialect>(inner->getDialect()))
          return refuse(inner) << "is not lowered: put memopt-to-linalg before";
        if (!isFunctionalAlone(inner) && !isa<cf::AssertOp>(inner))
          return refuse(inner)
                 << "has side effects, or is not known to have none: "
                    "it cannot be part of a kernel";
        return WalkResult::advance();
      });
  if (checked.wasInterrupted())
    return failure();
  if (!staysOutside(op) &&
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return refuse(op) << "makes tensors and scalars at once: a kernel makes "
                         "tensors only";
  return success();
}

static KernelKind getKind(const StepGraph &graph, ArrayRef<int> members) {
  auto holds = [&](OpClass opClass) {
    return llvm::any_of(members, [&](int member) {
      return graph.ops[member].opClass == opClass;
    });
  };
  if (holds(OpClass::Contraction))
    return KernelKind::contraction;
  if (holds(OpClass::ColumnReduction))
    return KernelKind::column_reduction;
  if (holds(OpClass::RowReduction))
    return KernelKind::row_reduction;
  if (holds(OpClass::Elementwise))
    return KernelKind::elementwise;
  return holds(OpClass::Movement) ? KernelKind::movement : KernelKind::opaque;
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

namespace {
/// Puts kernels in the place of a step's ops.
class Former {
public:
  Former(const TrainingStep &step, const BuiltStepGraph &built,
         const FusionPlan &fusion)
      : body(step.getBody()), built(built), fusion(fusion),
        layouts(chooseLayouts(body, built, fusion)),
        builder(body.getTerminator()) {}

  /// Results that take a kernel of their own.
  int countCopies() const { return copies; }

  LogicalResult form() {
    for (Operation *op : built.ops)
      if (failed(checkOp(op)))
        return failure();
    for (Operation &op : body)
      olds.push_back(&op);
    olds.pop_back(); // the terminator
    findOutputs();
    for (int kernel = 0; kernel < fusion.getKernelCount(); ++kernel)
      if (failed(formKernel(kernel)))
        return failure();
    if (failed(formResults()))
      return failure();
    for (Operation *op : llvm::reverse(olds))
      if (!kept.contains(op))
        op->erase();
    return success();
  }

private:
  ArrayRef<int> getMembers(int kernel) const {
    return ArrayRef(fusion.members)
        .slice(fusion.begin[kernel],
               fusion.begin[kernel + 1] - fusion.begin[kernel]);
  }

  /// Which values a kernel writes to memory: what other kernels or the caller
  /// read, and what nobody reads.
  void findOutputs() {
    const StepGraph &graph = built.graph;
    std::vector<char> isRead(graph.values.size(), 0);
    isOutput.assign(graph.values.size(), 0);
    for (size_t o = 0; o < graph.ops.size(); ++o)
      for (const StepOperand &operand : graph.ops[o].operands) {
        int maker = graph.values[operand.value].op;
        isRead[operand.value] = 1;
        isOutput[operand.value] |=
            maker >= 0 && fusion.kernelOf[maker] != fusion.kernelOf[o];
      }
    for (size_t v = 0; v < graph.values.size(); ++v)
      isOutput[v] |= graph.values[v].returned || !isRead[v];
  }

  LogicalResult formKernel(int kernel) {
    ArrayRef<int> members = getMembers(kernel);
    Operation *first = built.ops[members.front()];
    if (members.size() == 1 && staysOutside(first))
      return keep(first);
    KernelBody kernelBody(built, body);
    SmallVector<Value> outputs;
    Operation *main = nullptr;
    for (int member : members) {
      Operation *op = built.ops[member];
      kernelBody.add(op);
      if (!main || built.graph.ops[member].opClass == OpClass::Contraction)
        main = op;
      for (int value : built.graph.ops[member].results)
        if (isOutput[value])
          outputs.push_back(layouts[value] ? layouts[value]
                                           : built.values[value]);
    }
    finish(kernelBody, main->getLoc(), getKind(built.graph, members), outputs);
    return success();
  }

  KernelOp finish(KernelBody &kernelBody, Location loc, KernelKind kind,
                  ArrayRef<Value> outputs) {
    for (Value output : outputs)
      kernelBody.get(output);
    SmallVector<Value> operands;
    for (Value input : kernelBody.getInputs())
      operands.push_back(getFormed(input));
    KernelOp op = kernelBody.finish(builder, loc, kind, operands, outputs);
    for (auto [output, result] : llvm::zip(outputs, op.getTensors()))
      formed[output] = result;
    return op;
  }

  Value getFormed(Value value) const {
    Value made = formed.lookup(value);
    return made ? made : value;
  }

  /// Lets an op stand between the kernels.
  LogicalResult keep(Operation *op) {
    bool ok = true;
    SmallVector<std::pair<OpOperand *, Value>> changes;
    forEachOutsideOperand(op, [&](OpOperand &operand) {
      FailureOr<Value> value = show(operand.get(), op);
      ok &= succeeded(value);
      if (ok)
        changes.push_back({&operand, *value});
    });
    if (!ok)
      return failure();
    for (auto [operand, value] : changes)
      operand->set(value);
    op->moveBefore(body.getTerminator());
    kept.insert(op);
    return success();
  }

  /// `value` between the kernels, for `reader`: as it is, or behind views that
  /// move nothing.
  FailureOr<Value> show(Value value, Operation *reader) {
    if (Value made = formed.lookup(value))
      return made;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &body || built.opIndex.contains(op))
      return value;
    if (std::optional<int64_t> measure = getMeasure(op))
      return formed[value] =
                 arith::ConstantIndexOp::create(builder, op->getLoc(), *measure)
                     .getResult();
    if (auto fence = dyn_cast<FenceOp>(op))
      return show(fence.getX(), reader);
    if (!op->hasTrait<OpTrait::ConstantLike>() &&
        !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op)) {
      InFlightDiagnostic diag =
          refuse(reader) << "stands between kernels and reads a tensor that "
                            "takes no memory of its own";
      diag.attachNote(op->getLoc()) << "it is this '" << op->getName() << "'";
      return diag;
    }
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> shown = show(operand, reader);
      if (failed(shown))
        return failure();
      mapping.map(operand, *shown);
    }
    Operation *copy = builder.insert(op->clone(mapping));
    return formed[value] = copy->getResult(0);
  }

  LogicalResult formResults() {
    Operation *terminator = body.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value value = operand.get();
      bool isTensor = isa<TensorType>(value.getType());
      bool hasStorage = !isTensor || isa<BlockArgument>(getStorage(value)) ||
                        built.lookup(value) >= 0;
      if (!formed.contains(value) && isTensor &&
          (!hasStorage || !isReshape(value))) {
        ++copies;
        KernelBody copy(built, body);
        finish(copy, value.getLoc(), KernelKind::movement, value);
      }
      FailureOr<Value> shown = show(value, terminator);
      if (failed(shown))
        return failure();
      operand.set(*shown);
    }
    return success();
  }

  Block &body;
  const BuiltStepGraph &built;
  const FusionPlan &fusion;
  std::vector<Value> layouts;
  OpBuilder builder;
  SmallVector<Operation *> olds;
  llvm::DenseSet<Operation *> kept;
  std::vector<char> isOutput;
  int copies = 0;
  /// What stands for a value of the step between the kernels.
  llvm::DenseMap<Value, Value> formed;
};

struct FormKernels : memopt::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    if (failed(form()))
      signalPassFailure();
  }

  LogicalResult form() {
    FailureOr<TrainingStep> step = find();
    if (failed(step))
      return failure();
    removeFenceConditions(step->getFunction());
    FailureOr<FusedStep> fused = fuseAsWritten(*step);
    if (failed(fused))
      return failure();
    Former former(*step, fused->built, fused->fusion);
    if (failed(former.form()))
      return failure();
    return check(fused->peak, former.countCopies());
  }

  FailureOr<TrainingStep> find() {
    return TrainingStep::find(getOperation(),
                              {function, llvm::to_vector(forwardResults)});
  }

  /// What the kernels need must be what the plan says, kernel by kernel, where
  /// no result had to be copied beside it; writes down what it is.
  LogicalResult check(const PeakMemory &planned, int copies) {
    FailureOr<TrainingStep> step = find();
    if (failed(step))
      return failure();
    func::FuncOp func = step->getFunction();
    FailureOr<FusedStep> fused = fuseAsWritten(*step);
    if (failed(fused))
      return failure();
    const PeakMemory &peak = fused->peak;
    if (!copies && peak.bytes != planned.bytes)
      return emitError(func.getLoc())
             << "memopt-form-kernels: the kernels are not the fusion plan: "
                "they "
                "need "
             << peak.peakBytes << " bytes at once, and the plan "
             << planned.peakBytes;
    Builder builder(&getContext());
    auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    func->setAttr(
        kernelsAttrName,
        builder.getDictionaryAttr({number("peak_bytes", peak.peakBytes),
                                   number("saved_bytes", planned.savedBytes)}));
    return success();
  }
};
} // namespace
