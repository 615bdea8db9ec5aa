//===- ArgumentSizes.cpp - the sizes of a step's arguments --------------------
//===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentSizes.h"
#include "MemOpt/Analysis/DimBounds.h"

using namespace mlir;
using namespace memopt;

/// The bound of a dimension, or nothing.
static std::optional<int64_t> getBound(func::FuncOp function, unsigned argument,
                                       int64_t dimension) {
  auto bounds =
      function.getArgAttrOfType<DenseI64ArrayAttr>(argument, dimBoundsAttrName);
  if (!bounds || dimension >= bounds.size() ||
      ShapedType::isDynamic(bounds[dimension]))
    return std::nullopt;
  return bounds[dimension];
}

/// Puts the size of one word into `types`.
static LogicalResult setSize(func::FuncOp function, StringRef word,
                             MutableArrayRef<Type> types) {
  auto fail = [&](const Twine &why) {
    return emitError(function.getLoc())
           << "memopt-specialize-shapes: sizes=" << word << ": " << why;
  };
  auto [place, number] = word.split('=');
  auto [first, second] = place.split(':');
  unsigned argument;
  int64_t dimension, size;
  if (first.getAsInteger(10, argument) || second.getAsInteger(10, dimension) ||
      number.getAsInteger(10, size) || dimension < 0 || size < 1)
    return fail("expected ARGUMENT:DIMENSION=SIZE, a size of at least 1");
  if (argument >= types.size())
    return fail("the step has " + Twine(types.size()) + " arguments");
  auto type = dyn_cast<RankedTensorType>(types[argument]);
  if (!type || dimension >= type.getRank())
    return fail("the argument has no such dimension");
  if (!type.isDynamicDim(dimension))
    return type.getDimSize(dimension) == size
               ? success()
               : fail("the dimension is " + Twine(type.getDimSize(dimension)));
  if (std::optional<int64_t> bound = getBound(function, argument, dimension))
    if (size > *bound)
      return fail("the dimension is at most " + Twine(*bound) +
                  ", the bound that the step was planned for");
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = size;
  types[argument] = type.clone(shape);
  return success();
}

FailureOr<SmallVector<Type>>
memopt::getSizedArguments(func::FuncOp function, ArrayRef<std::string> words) {
  SmallVector<Type> types(function.getArgumentTypes());
  for (const std::string &word : words)
    if (failed(setSize(function, word, types)))
      return failure();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape())
      continue;
    const int64_t *dynamic =
        llvm::find(tensor.getShape(), ShapedType::kDynamic);
    int64_t dimension = dynamic - tensor.getShape().begin();
    return emitError(function.getArgument(i).getLoc())
           << "memopt-specialize-shapes: argument #" << i << " is a " << type
           << ": dimension " << dimension << " has no size; give it one, as "
           << "sizes=" << i << ":" << dimension << "=128";
  }
  return types;
}
