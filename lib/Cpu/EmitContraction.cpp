//===- EmitContraction.cpp - matrix products and convolutions -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction becomes one call of memopt_cpu_gemm on the kernel's storages:
// the glue on its operands is strides. Where more follows than the sums, an
// epilogue is written that turns each finished tile into the kernel's outputs.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "Epilogue.h"
#include "MemOpt/Analysis/Iteration.h"
#include "MemOpt/Codegen/Constants.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static Value getNull(OpBuilder &b, Location loc) {
  return LLVM::ZeroOp::create(b, loc,
                              LLVM::LLVMPointerType::get(b.getContext()));
}

/// A pointer to the first element of an operand: a buffer, or a constant.
static Value getOperandPointer(KernelBuilder &builder,
                               const StridedView &view) {
  OpBuilder &b = builder.getHost();
  Location loc = builder.getLoc();
  Type element = getElementTypeOrSelf(view.base.getType());
  Value base;
  if (auto argument = dyn_cast<BlockArgument>(view.base)) {
    base = builder.getBuffer(argument.getArgNumber());
  } else {
    Attribute value;
    if (!matchPattern(view.base, m_Constant(&value)))
      return {};
    auto elements = dyn_cast<DenseElementsAttr>(value);
    FailureOr<std::string> bytes =
        !elements            ? getBytes(value)
        : elements.isSplat() ? getBytes(elements.getSplatValue<Attribute>())
                             : getBytes(elements);
    if (failed(bytes))
      return {};
    base = LLVM::AddressOfOp::create(
        b, loc, builder.getCode().getConstant(loc, *bytes));
  }
  Value offset = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                          b.getI64IntegerAttr(view.offset));
  return getElementAddress(b, loc, base, element, offset);
}

namespace {
struct Call {
  SmallVector<int64_t> numbers;
  Value a, b, c;
  LLVM::LLVMFuncOp epilogue;
};
} // namespace

static void emitCall(KernelBuilder &builder, const Call &call) {
  OpBuilder &b = builder.getHost();
  Location loc = builder.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::GlobalOp shape =
      builder.getCode().getNumbers(loc, "memopt_product", call.numbers);
  SmallVector<Value> operands{LLVM::AddressOfOp::create(b, loc, shape), call.a,
                              call.b};
  operands.push_back(call.c ? call.c : getNull(b, loc));
  if (call.epilogue) {
    operands.push_back(LLVM::AddressOfOp::create(b, loc, call.epilogue));
    operands.push_back(builder.makeBufferArray());
  } else {
    operands.append(2, getNull(b, loc));
  }
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), SmallVector<Type>(6, pointer));
  LLVM::CallOp::create(b, loc,
                       builder.getCode().declare(loc, "memopt_cpu_gemm", type),
                       operands);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void report(KernelOp kernel, const ProductShape &shape, StringRef how) {
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("product").category("memopt-to-cpu"))
      << "product " + shape.print() + how.str();
}

static LogicalResult emitProduct(KernelOp kernel, linalg::LinalgOp op,
                                 const ProductShape &shape,
                                 KernelBuilder &builder) {
  Call call;
  call.a = getOperandPointer(builder, shape.a);
  call.b = getOperandPointer(builder, shape.b);
  if (!call.a || !call.b)
    return failure();
  Outputs outputs = classifyOutputs(kernel, op->getResult(0));
  if (!outputs.reshaped.empty())
    return failure();
  bool fromZero = startsFromZero(op);
  if (outputs.plain && fromZero && outputs.pointwise.empty()) {
    unsigned number = *outputs.plain;
    Type element = getElementTypeOrSelf(kernel.getYielded()[number].getType());
    call.c = builder.getBuffer(kernel.getInputs().size() + number);
    call.numbers = shape.getNumbers(*getRuntimeType(element));
    report(kernel, shape, "");
  } else {
    if (outputs.plain)
      outputs.pointwise.push_back(*outputs.plain);
    llvm::sort(outputs.pointwise);
    FailureOr<LLVM::LLVMFuncOp> epilogue =
        emitEpilogue(kernel, op, shape, outputs.pointwise, !fromZero, builder);
    if (failed(epilogue))
      return failure();
    call.epilogue = *epilogue;
    // The type of c decides in what the product is summed.
    bool isDouble = getElementTypeOrSelf(op->getResult(0).getType()).isF64();
    call.numbers = shape.getNumbers(isDouble ? MEMOPT_CPU_F64 : MEMOPT_CPU_F32);
    report(kernel, shape, ", with an epilogue");
  }
  emitCall(builder, call);
  Operation *refusal = nullptr;
  return emitOutputs(kernel, outputs.others, builder, refusal);
}

LogicalResult memopt::emitContraction(KernelOp kernel, KernelBuilder &builder) {
  linalg::LinalgOp op = findContraction(kernel);
  std::string why = "it is not one contraction";
  if (op) {
    std::optional<ProductShape> shape = getProductShape(op, why);
    if (shape && succeeded(emitProduct(kernel, op, *shape, builder)))
      return success();
    if (shape)
      why = "what follows it reads its result out of order";
  }
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("product").category("memopt-to-cpu"))
      << "a contraction in loops of its own, without a BLAS: " + why;
  return emitMovement(kernel, builder);
}
