//===- Constants.cpp - the bytes of a constant tensor ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/Constants.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace memopt;

/// Little-endian, as every processor that this code is made for.
static void append(std::string &bytes, const APInt &value, int64_t size) {
  APInt wide = value.zextOrTrunc(8 * size);
  for (int64_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(wide.extractBitsAsZExtValue(8, 8 * i)));
}

static bool append(std::string &bytes, Attribute number) {
  if (auto value = dyn_cast<FloatAttr>(number))
    append(bytes, value.getValue().bitcastToAPInt(),
           getElementBytes(value.getType()));
  else if (auto value = dyn_cast<IntegerAttr>(number))
    append(bytes, value.getValue(), getElementBytes(value.getType()));
  else
    return false;
  return true;
}

FailureOr<std::string> memopt::getBytes(DenseElementsAttr elements) {
  std::string bytes;
  for (Attribute number : elements.getValues<Attribute>())
    if (!append(bytes, number))
      return failure();
  return bytes;
}

FailureOr<std::string> memopt::getBytes(Attribute number) {
  std::string bytes;
  if (!append(bytes, number))
    return failure();
  return bytes;
}
