//===- ElementKernel.cpp - outputs element by element ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"
#include "GpuWalk.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "Traffic.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static int64_t getTensorBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getNumElements() * getElementBytes(type.getElementType());
}

SmallVector<GpuParameter>
memopt::getOutputParameters(GpuKernelBuilder &builder,
                            ArrayRef<unsigned> outputs, bool writesAll) {
  unsigned inputs = builder.getKernel().getInputs().size();
  SmallVector<GpuParameter> all = builder.getParameters(writesAll);
  SmallVector<GpuParameter> parameters(all.begin(), all.begin() + inputs);
  for (unsigned output : outputs)
    parameters.push_back(all[inputs + output]);
  return parameters;
}

/// The parameters and, behind them, the leaf.
static SmallVector<GpuParameter> getParameters(GpuKernelBuilder &builder,
                                               ArrayRef<unsigned> outputs,
                                               const GpuLeaf &leaf,
                                               bool writesAll) {
  SmallVector<GpuParameter> parameters =
      getOutputParameters(builder, outputs, writesAll);
  if (!leaf.tensor)
    return parameters;
  GpuParameter last{leaf.pointer, getTensorBytes(leaf.tensor), true};
  for (GpuParameter &other : parameters)
    if (other.pointer == leaf.pointer)
      other.alone = last.alone = false;
  parameters.push_back(last);
  return parameters;
}

/// A name for a kernel that writes these outputs.
static std::string getPart(StringRef stem, ArrayRef<unsigned> outputs,
                           const GpuLeaf &leaf) {
  std::string part = leaf.tensor ? "epilogue" : stem.str();
  for (unsigned output : outputs)
    part += "_" + std::to_string(output);
  return part;
}

//===----------------------------------------------------------------------===//
// By loops
//===----------------------------------------------------------------------===//

/// The program of some outputs. The leaf is source number `inputs + outputs` of
/// the operands.
static FailureOr<KernelProgram>
buildProgram(KernelOp kernel, ArrayRef<unsigned> outputs, const GpuLeaf &leaf) {
  constexpr int mark = 1 << 20; // behind all sources that the builder adds
  ProgramLeaves leaves;
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      leaves[argument] = argument.getArgNumber();
  if (leaf.tensor)
    leaves[leaf.tensor] = mark;
  SmallVector<Value> values;
  for (unsigned output : outputs)
    values.push_back(kernel.getYielded()[output]);
  FailureOr<KernelProgram> program = buildKernelProgram(kernel, values, leaves);
  if (failed(program))
    return failure();
  for (ProgramNode &node : program->nodes)
    if (node.source == mark)
      node.source = int(program->sources.size());
  program->sources.push_back(
      {int(kernel.getInputs().size() + outputs.size()), {}});
  return program;
}

LogicalResult memopt::emitGpuProgram(GpuKernelBuilder &builder,
                                     ArrayRef<unsigned> outputs,
                                     const GpuLeaf &leaf) {
  KernelOp kernel = builder.getKernel();
  ScopedDiagnosticHandler silence(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<KernelProgram> program = buildProgram(kernel, outputs, leaf);
  if (failed(program))
    return failure();
  if (program->empty)
    return success();
  if (!leaf.tensor)
    program->sources.pop_back();
  GpuModule &gpu = builder.getModule();
  FailureOr<std::unique_ptr<GpuWalk>> walk = chooseGpuWalk(*program, gpu.chip);
  if (failed(walk))
    return failure();
  SmallVector<GpuStage> stages = (*walk)->getStages();
  // Partial sums begin where the workspace does.
  bool isBusy =
      leaf.tensor && !llvm::is_contained(builder.getBuffers(), leaf.pointer);
  if (isBusy && llvm::any_of(stages, [](const GpuStage &stage) {
        return stage.workspaceBytes > 0;
      }))
    return failure();
  std::string part = getPart("outputs", outputs, leaf);
  for (unsigned number = 0; number < stages.size(); ++number) {
    const GpuStage &stage = stages[number];
    SmallVector<GpuParameter> parameters =
        getParameters(builder, outputs, leaf, stages.size() == 1);
    unsigned count = parameters.size();
    if (stage.workspaceBytes)
      parameters.push_back(builder.getScratch(stage.workspaceBytes));
    auto function = builder.outline(
        stage.name.empty() ? part : part + "_" + stage.name.str(), parameters,
        stage.geometry, [&](OpBuilder &b, ValueRange pointers) {
          KernelCode code{*program, b, kernel.getLoc(), {}, {}};
          code.bindOperands(kernel, gpu.device, pointers.take_front(count));
          (*walk)->emit(number, code,
                        stage.workspaceBytes ? pointers.back() : Value());
          return success();
        });
    if (failed(function))
      return failure();
    builder.launch(*function, parameters, stage.geometry,
                   getTraffic(*program, stage, parameters));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// By elements
//===----------------------------------------------------------------------===//

/// The pointers to a kernel's operands from those to inputs and `outputs`.
static SmallVector<Value> spreadPointers(KernelOp kernel,
                                         ArrayRef<unsigned> outputs,
                                         ValueRange pointers) {
  unsigned inputs = kernel.getInputs().size();
  SmallVector<Value> all(kernel->getNumOperands());
  llvm::copy(pointers.take_front(inputs), all.begin());
  for (auto [i, output] : llvm::enumerate(outputs))
    all[inputs + output] = pointers[inputs + i];
  return all;
}

namespace {
/// Writes the body of a kernel that computes a tensor of a step's kernel.
struct ElementCode {
  GpuKernelBuilder &builder;
  ArrayRef<unsigned> outputs;
  const GpuLeaf &leaf;
  const GpuGeometry &geometry;
  Operation *&refusal;

  LogicalResult write(OpBuilder &b, ValueRange pointers, Value tensor,
                      Type type, Value target) {
    KernelOp kernel = builder.getKernel();
    Location loc = kernel.getLoc();
    ElementReader reader(builder.getModule().device, kernel, b,
                         spreadPointers(kernel, outputs, pointers));
    reader.followLoops();
    auto shape = cast<RankedTensorType>(tensor.getType());
    IndexCode math{b, loc};
    if (leaf.tensor)
      reader.setValue(leaf.tensor, [&](ArrayRef<Value> at) {
        auto from = cast<RankedTensorType>(leaf.tensor.getType());
        Value offset = math.toI64(math.linearize(at, from.getShape()));
        Type element = from.getElementType();
        return loadElement(
            b, loc, element,
            getElementAddress(b, loc, pointers.back(), element, offset));
      });
    LogicalResult done = success();
    ThreadCode{b, loc}.forEachUnit(
        geometry, shape.getNumElements(), [&](Value unit) {
          Value number =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), unit);
          FailureOr<Value> value =
              reader.read(tensor, math.delinearize(number, shape.getShape()));
          done = value;
          if (failed(value)) {
            refusal = reader.getRefusal();
            return;
          }
          Value made = type ? convertFloat(b, loc, *value, type) : *value;
          Type element = type ? type : shape.getElementType();
          storeElement(b, loc, made,
                       getElementAddress(b, loc, target, element, unit));
        });
    return done;
  }
};
} // namespace

LogicalResult memopt::emitGpuElements(GpuKernelBuilder &builder,
                                      ArrayRef<unsigned> outputs,
                                      const GpuLeaf &leaf,
                                      Operation *&refusal) {
  KernelOp kernel = builder.getKernel();
  unsigned inputs = kernel.getInputs().size();
  for (unsigned output : outputs) {
    Value tensor = kernel.getYielded()[output];
    int64_t points = cast<RankedTensorType>(tensor.getType()).getNumElements();
    if (points == 0)
      continue;
    GpuGeometry geometry = getFlatGeometry(builder.getModule().chip, points);
    SmallVector<GpuParameter> parameters =
        getParameters(builder, output, leaf, /*writesAll=*/true);
    ElementCode code{builder, output, leaf, geometry, refusal};
    auto function = builder.outline(
        getPart("elements", output, leaf), parameters, geometry,
        [&](OpBuilder &b, ValueRange pointers) {
          return code.write(b, pointers, tensor, {}, pointers[inputs]);
        });
    if (failed(function))
      return failure();
    builder.launch(*function, parameters, geometry,
                   getWholeTraffic(parameters));
  }
  return success();
}

LogicalResult memopt::emitGpuOutputs(GpuKernelBuilder &builder,
                                     ArrayRef<unsigned> outputs,
                                     const GpuLeaf &leaf, Operation *&refusal) {
  if (outputs.empty() || succeeded(emitGpuProgram(builder, outputs, leaf)))
    return success();
  return emitGpuElements(builder, outputs, leaf, refusal);
}

/// Which of a kernel's tensors it is: an argument, or behind those by the op
/// that makes it.
static unsigned getTensorNumber(KernelOp kernel, Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return argument.getArgNumber();
  Block &body = kernel.getBody().front();
  return body.getNumArguments() +
         std::distance(body.begin(), tensor.getDefiningOp()->getIterator());
}

LogicalResult memopt::emitGpuTensor(GpuKernelBuilder &builder, Value tensor,
                                    Type type, Value target,
                                    Operation *&refusal) {
  auto shape = cast<RankedTensorType>(tensor.getType());
  int64_t points = shape.getNumElements();
  GpuGeometry geometry = getFlatGeometry(builder.getModule().chip, points);
  SmallVector<GpuParameter> parameters =
      getOutputParameters(builder, {}, /*writesAll=*/true);
  parameters.push_back({target, -points * getElementBytes(type), true});
  for (GpuParameter &other : parameters)
    if (&other != &parameters.back() && other.pointer == target)
      other.alone = parameters.back().alone = false;
  std::string part;
  llvm::raw_string_ostream(part)
      << "operand_" << getTensorNumber(builder.getKernel(), tensor) << '_'
      << type;
  GpuLeaf none;
  ElementCode code{builder, {}, none, geometry, refusal};
  auto function = builder.outline(
      part, parameters, geometry, [&](OpBuilder &b, ValueRange pointers) {
        return code.write(b, pointers, tensor, type, pointers.back());
      });
  if (failed(function))
    return failure();
  builder.launch(*function, parameters, geometry, getWholeTraffic(parameters));
  return success();
}
