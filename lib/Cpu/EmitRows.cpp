//===- EmitRows.cpp - elementwise kernels and reductions ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "RowKernels.h"
#include "RowPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Which way
//===----------------------------------------------------------------------===//

/// Reductions of one kernel share the loops that they reduce.
static LogicalResult checkReductions(const KernelProgram &program) {
  for (const ProgramReduction &reduction : program.reductions)
    if (reduction.loops != program.reductions[0].loops)
      return reduction.op->emitOpError(
          "reduces other loops than the reductions "
          "before it in its kernel");
  return success();
}

static FailureOr<std::unique_ptr<KernelWalk>>
chooseWalk(const KernelProgram &program) {
  unsigned count = program.sizes.size();
  if (failed(checkReductions(program)))
    return failure();
  uint64_t reduced =
      program.reductions.empty() ? 0 : program.reductions[0].loops;
  if (reduced && !(reduced >> (count - 1) & 1)) {
    for (auto [node, depth] :
         llvm::zip_equal(program.nodes, getDepths(program)))
      if (depth > 0 && (node.loops & reduced))
        return program.reductions[0].op->emitOpError(
            "reduces leading loops, and its kernel reads the result on them "
            "again");
    return walkColumns(program);
  }
  uint64_t all = (uint64_t(1) << count) - 1;
  uint64_t rows = (uint64_t(1) << program.rowLoops) - 1;
  bool trailing = !reduced || reduced == (all & ~rows);
  int64_t columns =
      getCount(program, getLoopList(reduced ? reduced : all & ~rows));
  bool shortRows = columns <= maxColumns && program.rowLoops > 0 && trailing;
  if (!program.hasRows() && !reduced)
    return walkPoints(program);
  if (columns == 1 || shortRows)
    return walkPoints(program);
  return walkRows(program);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The bytes of a constant as they lie in memory.
static std::string getBytes(ElementsAttr data) {
  std::string bytes;
  Type type = data.getElementType();
  int64_t width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  for (Attribute element : data.getValues<Attribute>()) {
    APInt value = isa<FloatAttr>(element)
                      ? cast<FloatAttr>(element).getValue().bitcastToAPInt()
                      : cast<IntegerAttr>(element).getValue();
    for (int64_t bit = 0; bit < width; bit += 8)
      bytes.push_back(
          char(value.zextOrTrunc(64).lshr(bit).getZExtValue() & 0xff));
  }
  return bytes;
}

static Value loadPointer(OpBuilder &b, Location loc, Value buffers,
                         unsigned number) {
  Type pointer = buffers.getType();
  Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, buffers,
                                   ArrayRef<LLVM::GEPArg>{int32_t(number)});
  return LLVM::LoadOp::create(b, loc, pointer, slot);
}

static KernelCode startKernel(const KernelProgram &program,
                              KernelBuilder &builder, OpBuilder &b,
                              Value buffers) {
  KernelOp kernel = builder.getKernel();
  KernelCode code{program, b, kernel.getLoc(), {}, {}};
  for (const ProgramSource &source : program.sources) {
    if (!source.data) {
      code.sources.push_back(loadPointer(b, code.loc, buffers, source.input));
      continue;
    }
    LLVM::GlobalOp global =
        builder.getCode().getConstant(code.loc, getBytes(source.data));
    code.sources.push_back(LLVM::AddressOfOp::create(b, code.loc, global));
  }
  unsigned inputs = kernel.getInputs().size();
  for (unsigned i = 0; i < kernel.getOutputs().size(); ++i)
    code.outputs.push_back(loadPointer(b, code.loc, buffers, inputs + i));
  return code;
}

LogicalResult memopt::emitRows(KernelOp kernel, KernelBuilder &builder) {
  FailureOr<KernelProgram> program = buildKernelProgram(kernel);
  if (failed(program))
    return failure();
  if (program->empty)
    return success();
  FailureOr<std::unique_ptr<KernelWalk>> walk = chooseWalk(*program);
  if (failed(walk))
    return failure();
  auto function = builder.outline(
      "", [&](OpBuilder &b, Value buffers, Value begin, Value end) {
        KernelCode code = startKernel(*program, builder, b, buffers);
        (*walk)->emit(code, begin, end);
        return success();
      });
  if (failed(function))
    return failure();
  KernelRange range = (*walk)->getRange();
  builder.callParallel(*function, range.units, getGrain(range.bytesPerUnit));
  return success();
}
