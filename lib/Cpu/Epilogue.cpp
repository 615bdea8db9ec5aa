//===- Epilogue.cpp - what follows a product ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "MemOpt/Codegen/ElementReader.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Codegen/ScalarOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

namespace {
/// Writes the loops over a tile.
class EpilogueBuilder {
public:
  EpilogueBuilder(KernelOp kernel, linalg::LinalgOp op,
                  const ProductShape &shape, ArrayRef<unsigned> outputs,
                  bool addsInit, CodeModule &code, LLVM::LLVMFuncOp function)
      : kernel(kernel), op(op), shape(shape), outputs(outputs),
        addsInit(addsInit), function(function),
        b(OpBuilder::atBlockEnd(&function.getBody().front())),
        loc(kernel.getLoc()),
        reader(code, kernel, b,
               loadPointers(b, loc, function.getArgument(0),
                            kernel->getNumOperands())) {
    result = op->getResult(0);
    bool isDouble = shape.aType == MEMOPT_CPU_F64 ||
                    shape.bType == MEMOPT_CPU_F64 || getElement().isF64();
    computeType = isDouble ? Type(b.getF64Type()) : Type(b.getF32Type());
  }

  LogicalResult build() {
    Value batch = getIndex(3);
    points[MEMOPT_CPU_BATCH] =
        math.delinearize(batch, shape.getSizes(MEMOPT_CPU_BATCH));
    Value one = math.constant(1);
    mBegin = getIndex(4);
    nBegin = getIndex(6);
    auto rows = scf::ForOp::create(b, loc, mBegin, getIndex(5), one);
    auto after = b.saveInsertionPoint();
    b.setInsertionPointToStart(rows.getBody());
    m = rows.getInductionVar();
    points[MEMOPT_CPU_M] = math.delinearize(m, shape.getSizes(MEMOPT_CPU_M));
    auto columns = scf::ForOp::create(b, loc, nBegin, getIndex(7), one);
    b.setInsertionPointToStart(columns.getBody());
    n = columns.getInductionVar();
    points[MEMOPT_CPU_N] = math.delinearize(n, shape.getSizes(MEMOPT_CPU_N));
    if (failed(buildPoint()))
      return failure();
    b.restoreInsertionPoint(after);
    LLVM::ReturnOp::create(b, loc, ValueRange());
    return success();
  }

private:
  Type getElement() { return getElementTypeOrSelf(result.getType()); }
  ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  Value getIndex(unsigned argument) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      function.getArgument(argument));
  }

  /// The point of the contraction's result that m, n and the batch stand for.
  Indices getResultPoint() {
    Indices point;
    for (const auto &loops : shape.resultDims) {
      Value index = math.constant(0);
      for (auto [kind, number] : loops)
        index = math.add(math.multiply(index, shape.loops[kind][number].size),
                         points[kind][number]);
      point.push_back(index);
    }
    return point;
  }

  /// The element of the tile, in the result's type.
  FailureOr<Value> getSum(ArrayRef<Value> point) {
    Value row =
        b.createOrFold<arith::SubIOp>(loc, math.toI64(m), math.toI64(mBegin));
    Value offset = LLVM::MulOp::create(b, loc, row, function.getArgument(2));
    Value column =
        b.createOrFold<arith::SubIOp>(loc, math.toI64(n), math.toI64(nBegin));
    offset = LLVM::AddOp::create(b, loc, offset, column);
    Value sum = loadElement(b, loc, computeType,
                            getElementAddress(b, loc, function.getArgument(1),
                                              computeType, offset));
    if (addsInit) {
      FailureOr<Value> init = reader.read(op.getDpsInits().front(), point);
      if (failed(init))
        return failure();
      sum = arith::AddFOp::create(
          b, loc, convertFloat(b, loc, *init, computeType), sum);
    }
    return convertFloat(b, loc, sum, getElement());
  }

  LogicalResult buildPoint() {
    Indices point = getResultPoint();
    FailureOr<Value> sum = getSum(point);
    if (failed(sum))
      return failure();
    reader.setValue(result, [&](ArrayRef<Value>) { return *sum; });
    SmallVector<Value> values, addresses;
    for (unsigned output : outputs) {
      Value yielded = kernel.getYielded()[output];
      Indices at = math.reshape(point, getShape(result), getShape(yielded));
      FailureOr<Value> value = reader.read(yielded, at);
      if (failed(value))
        return failure();
      values.push_back(*value);
      Value offset = math.toI64(math.linearize(at, getShape(yielded)));
      Value base = reader.getPointer(kernel.getInputs().size() + output);
      addresses.push_back(
          getElementAddress(b, loc, base, value->getType(), offset));
    }
    for (auto [value, address] : llvm::zip(values, addresses))
      storeElement(b, loc, value, address);
    return success();
  }

  KernelOp kernel;
  linalg::LinalgOp op;
  const ProductShape &shape;
  ArrayRef<unsigned> outputs;
  bool addsInit;
  LLVM::LLVMFuncOp function;
  OpBuilder b;
  Location loc;
  IndexCode math{b, loc};
  ElementReader reader;
  Value result, m, n, mBegin, nBegin;
  Type computeType;
  Indices points[4];
};
} // namespace

FailureOr<LLVM::LLVMFuncOp>
memopt::emitEpilogue(KernelOp kernel, linalg::LinalgOp op,
                     const ProductShape &shape, ArrayRef<unsigned> outputs,
                     bool addsInit, KernelBuilder &builder) {
  CodeModule &code = builder.getCode();
  std::string key = ("epilogue\n" + builder.getText()).str();
  if (LLVM::LLVMFuncOp known = code.lookup(key))
    return known;
  MLIRContext *context = kernel.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> types(8, IntegerType::get(context, 64));
  types[0] = types[1] = pointer;
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  LLVM::LLVMFuncOp function =
      code.create(kernel.getLoc(), key, "memopt_contraction_epilogue", type);
  if (succeeded(
          EpilogueBuilder(kernel, op, shape, outputs, addsInit, code, function)
              .build()))
    return function;
  code.erase(key);
  return failure();
}
