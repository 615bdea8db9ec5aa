//===- EmitRows.cpp - elementwise kernels and reductions on the GPU -------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "GpuWalk.h"
#include "MemOpt/Codegen/Memory.h"
#include "Traffic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Which way
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<GpuWalk>>
memopt::chooseGpuWalk(const KernelProgram &program, const GpuChip &chip) {
  if (std::unique_ptr<GpuWalk> both = walkGpuRowsAndColumns(program, chip))
    return both;
  FailureOr<LoopWay> way = chooseWay(program);
  if (failed(way))
    return failure();
  switch (*way) {
  case LoopWay::Points:
    return walkGpuPoints(program, chip);
  case LoopWay::Rows:
    if (std::unique_ptr<GpuWalk> several = walkGpuLongRows(program, chip))
      return several;
    return walkGpuRows(program, chip);
  case LoopWay::Columns:
    return walkGpuColumns(program, chip);
  }
  llvm_unreachable("unknown way");
}

GpuStage memopt::makeWholeStage(const KernelProgram &program,
                                const GpuGeometry &geometry) {
  GpuStage stage{"", geometry};
  stage.loads.push_back(
      getLoads(program, llvm::to_vector(llvm::seq<int>(program.nodes.size()))));
  for (const ProgramStore &store : program.stores)
    stage.stores.push_back(&store);
  return stage;
}

int64_t memopt::getGpuWidth(const KernelProgram &program, unsigned lane,
                            int64_t most) {
  IndexMath math = program.getMath();
  int64_t least = 0;
  auto add = [&](AffineExpr index, Type type) {
    std::optional<LinearIndex> linear = math.getLinear(index);
    if (!linear || linear->factors[lane] != 1)
      return;
    int64_t bytes = getElementBytes(type);
    least = least ? std::min(least, bytes) : bytes;
  };
  for (const ProgramNode &node : program.nodes)
    if (node.kind == NodeKind::Load)
      add(node.index, node.type);
  bool wide = false;
  for (const ProgramNode &node : program.nodes)
    wide |= node.kind != NodeKind::Index && getElementBytes(node.type) > 1;
  for (const ProgramStore &store : program.stores)
    add(store.index, program.nodes[store.node].type);
  int64_t width = 16 / std::max<int64_t>(least, 1);
  if (!least)
    width = 4;
  if (wide)
    width = std::min<int64_t>(width, 8);
  return int64_t(
      llvm::bit_floor(uint64_t(std::clamp<int64_t>(width, 1, most))));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult memopt::emitGpuRows(GpuKernelBuilder &builder) {
  KernelOp kernel = builder.getKernel();
  FailureOr<KernelProgram> program = buildKernelProgram(kernel);
  if (failed(program))
    return failure();
  if (program->empty)
    return success();
  GpuModule &gpu = builder.getModule();
  FailureOr<std::unique_ptr<GpuWalk>> walk = chooseGpuWalk(*program, gpu.chip);
  if (failed(walk))
    return failure();
  SmallVector<GpuStage> stages = (*walk)->getStages();
  for (unsigned number = 0; number < stages.size(); ++number) {
    const GpuStage &stage = stages[number];
    // Only the stages together write each output whole.
    SmallVector<GpuParameter> parameters =
        builder.getParameters(stages.size() == 1);
    unsigned count = parameters.size();
    if (stage.workspaceBytes)
      parameters.push_back(builder.getScratch(stage.workspaceBytes));
    auto function = builder.outline(
        stage.name, parameters, stage.geometry,
        [&](OpBuilder &b, ValueRange pointers) {
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
