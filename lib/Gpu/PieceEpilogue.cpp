//===- PieceEpilogue.cpp - what follows a piece of a product --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceEpilogue.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "ThreadCode.h"

using namespace mlir;
using namespace memopt;

namespace {
/// Writes the kernel. Where a piece begins is told by parameters, so that
/// pieces of one size have one kernel.
class PieceCode {
public:
  PieceCode(GpuKernelBuilder &builder, const PieceEpilogue &epilogue)
      : builder(builder), kernel(builder.getKernel()), epilogue(epilogue),
        loc(kernel.getLoc()) {
    for (const PlannedLoop &loop : epilogue.piece.loops)
      if (loop.isOf(2))
        loops.push_back(&loop);
  }

  bool isCut(const PlannedLoop &loop) const {
    return loop.size != epilogue.shape.loops[loop.owner][loop.number].size;
  }

  std::string getPart() const {
    std::string part = "piece";
    for (const PlannedLoop *loop : loops)
      part += "_" + std::to_string(loop->size);
    return part;
  }

  SmallVector<GpuParameter> getParameters(Value sums) {
    OpBuilder &host = builder.getHost();
    SmallVector<GpuParameter> parameters =
        getOutputParameters(builder, epilogue.outputs, /*writesAll=*/false);
    parameters.push_back(
        {sums, getCount() * getElementBytes(epilogue.element), true});
    for (const PlannedLoop *loop : loops) {
      if (!isCut(*loop))
        continue;
      Value begin = LLVM::ConstantOp::create(
          host, loc, host.getI64Type(), host.getI64IntegerAttr(loop->begin));
      Type pointer = LLVM::LLVMPointerType::get(host.getContext());
      parameters.push_back(
          {LLVM::IntToPtrOp::create(host, loc, pointer, begin), 0, false});
    }
    return parameters;
  }

  int64_t getCount() const { return epilogue.piece.getCount(2); }

  /// Of an input no more than an element at each of the piece's points.
  GpuTraffic getTraffic() const {
    GpuTraffic traffic;
    int64_t count = epilogue.piece.getCount(2);
    traffic.leastRead = count * getElementBytes(epilogue.element);
    for (Value input : KernelOp(kernel).getInputs())
      if (auto type = dyn_cast<MemRefType>(input.getType()))
        traffic.leastRead += std::min(count, type.getNumElements()) *
                             getElementBytes(type.getElementType());
    for (unsigned output : epilogue.outputs) {
      Value yielded = KernelOp(kernel).getYielded()[output];
      traffic.leastWritten +=
          count * getElementBytes(getElementTypeOrSelf(yielded));
    }
    traffic.read = traffic.leastRead;
    traffic.written = traffic.leastWritten;
    return traffic;
  }

  /// The body for sum number `unit` of the piece.
  LogicalResult write(OpBuilder &b, ValueRange pointers, Value unit,
                      Operation *&refusal);

private:
  /// Where each loop of the contraction stands, by kind and number.
  void place(OpBuilder &b, ValueRange begins, Value unit);
  Indices getPoint(OpBuilder &b);
  FailureOr<Value> getSum(OpBuilder &b, ElementReader &reader,
                          ArrayRef<Value> point, Value sums, Value unit);

  GpuKernelBuilder &builder;
  KernelOp kernel;
  const PieceEpilogue &epilogue;
  Location loc;
  SmallVector<const PlannedLoop *> loops;
  Indices positions[4];
};
} // namespace

void PieceCode::place(OpBuilder &b, ValueRange begins, Value unit) {
  IndexCode math{b, loc};
  auto toIndex = [&](Value x) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), x);
  };
  SmallVector<int64_t> sizes;
  for (const PlannedLoop *loop : loops)
    sizes.push_back(loop->size);
  Indices at = math.delinearize(toIndex(unit), sizes);
  for (int kind = 0; kind < 4; ++kind)
    positions[kind].assign(epilogue.shape.loops[kind].size(), Value());
  for (auto [loop, index] : llvm::zip_equal(loops, at)) {
    if (isCut(*loop)) {
      Value begin =
          LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), begins.front());
      begins = begins.drop_front();
      index = math.add(index, toIndex(begin));
    }
    positions[loop->owner][loop->number] = index;
  }
}

Indices PieceCode::getPoint(OpBuilder &b) {
  IndexCode math{b, loc};
  Indices point;
  for (const auto &dim : epilogue.shape.resultDims) {
    Value index = math.constant(0);
    for (auto [kind, number] : dim)
      index = math.add(
          math.multiply(index, epilogue.shape.loops[kind][number].size),
          positions[kind][number]);
    point.push_back(index);
  }
  return point;
}

FailureOr<Value> PieceCode::getSum(OpBuilder &b, ElementReader &reader,
                                   ArrayRef<Value> point, Value sums,
                                   Value unit) {
  linalg::LinalgOp op = epilogue.op;
  Value sum =
      loadElement(b, loc, epilogue.element,
                  getElementAddress(b, loc, sums, epilogue.element, unit));
  if (epilogue.addsInit) {
    FailureOr<Value> init = reader.read(op.getDpsInits().front(), point);
    if (failed(init))
      return failure();
    Value first = convertFloat(b, loc, *init, epilogue.element);
    sum = arith::AddFOp::create(b, loc, first, sum);
  }
  return convertFloat(b, loc, sum, getElementTypeOrSelf(op->getResult(0)));
}

LogicalResult PieceCode::write(OpBuilder &b, ValueRange pointers, Value unit,
                               Operation *&refusal) {
  unsigned inputs = kernel.getInputs().size();
  unsigned outputs = epilogue.outputs.size();
  SmallVector<Value> operands(kernel->getNumOperands());
  llvm::copy(pointers.take_front(inputs), operands.begin());
  for (auto [i, output] : llvm::enumerate(epilogue.outputs))
    operands[inputs + output] = pointers[inputs + i];
  place(b, pointers.drop_front(inputs + outputs + 1), unit);
  Indices point = getPoint(b);
  ElementReader reader(builder.getModule().device, kernel, b, operands);
  Value result = epilogue.op->getResult(0);
  FailureOr<Value> sum =
      getSum(b, reader, point, pointers[inputs + outputs], unit);
  if (failed(sum)) {
    refusal = reader.getRefusal();
    return failure();
  }
  reader.setValue(result, [&](ArrayRef<Value>) { return *sum; });
  IndexCode math{b, loc};
  SmallVector<std::pair<Value, Value>> made; // values and addresses
  for (unsigned output : epilogue.outputs) {
    Value yielded = kernel.getYielded()[output];
    auto type = cast<RankedTensorType>(yielded.getType());
    Indices at =
        math.reshape(point, cast<RankedTensorType>(result.getType()).getShape(),
                     type.getShape());
    FailureOr<Value> value = reader.read(yielded, at);
    if (failed(value)) {
      refusal = reader.getRefusal();
      return failure();
    }
    Value offset = math.toI64(math.linearize(at, type.getShape()));
    made.push_back({*value, getElementAddress(b, loc, operands[inputs + output],
                                              value->getType(), offset)});
  }
  for (auto [value, address] : made)
    storeElement(b, loc, value, address);
  return success();
}

LogicalResult memopt::emitPieceEpilogue(GpuKernelBuilder &builder,
                                        const PieceEpilogue &epilogue,
                                        Value sums, Operation *&refusal) {
  PieceCode code(builder, epilogue);
  int64_t count = code.getCount();
  GpuGeometry geometry = getFlatGeometry(builder.getModule().chip, count);
  SmallVector<GpuParameter> parameters = code.getParameters(sums);
  auto function =
      builder.outline(code.getPart(), parameters, geometry,
                      [&](OpBuilder &b, ValueRange pointers) {
                        LogicalResult done = success();
                        ThreadCode{b, builder.getLoc()}.forEachUnit(
                            geometry, count, [&](Value unit) {
                              done = code.write(b, pointers, unit, refusal);
                            });
                        return done;
                      });
  if (failed(function))
    return failure();
  builder.launch(*function, parameters, geometry, code.getTraffic());
  return success();
}
