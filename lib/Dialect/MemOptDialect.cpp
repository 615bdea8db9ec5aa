//===- MemOptDialect.cpp - the memopt dialect -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "MemOpt/Dialect/MemOptDialect.cpp.inc"
#include "MemOpt/Dialect/MemOptEnums.cpp.inc"

void memopt::MemOptDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "MemOpt/Dialect/MemOptOps.cpp.inc"
      >();
}

Type memopt::getComputeType(Type element) {
  return element.isF64() ? element : Float32Type::get(element.getContext());
}

RankedTensorType memopt::getCodeType(RankedTensorType x, unsigned bits) {
  Type byte = IntegerType::get(x.getContext(), 8);
  if (x.getRank() > 0 && !x.isDynamicDim(x.getRank() - 1)) {
    int64_t last = x.getShape().back(), scaled;
    if (!llvm::MulOverflow<int64_t>(last, bits, scaled) && scaled % 8 == 0) {
      SmallVector<int64_t> shape(x.getShape());
      shape.back() = scaled / 8;
      return RankedTensorType::get(shape, byte);
    }
  }
  int64_t count = 1;
  for (int64_t size : x.getShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count))
      return {};
  int64_t total;
  if (llvm::MulOverflow<int64_t>(count, bits, total))
    return {};
  return RankedTensorType::get({total / 8 + (total % 8 != 0)}, byte);
}

RankedTensorType memopt::getStatisticsType(RankedTensorType x,
                                           int64_t normalizedRank) {
  return RankedTensorType::get(x.getShape().drop_back(normalizedRank),
                               getComputeType(x.getElementType()));
}
