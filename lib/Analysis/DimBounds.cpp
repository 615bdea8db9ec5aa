//===- DimBounds.cpp - dynamic shapes within bounds -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/DimBounds.h"
#include "BoundShapes.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

/// The numbers of `ARGUMENT:DIMENSION=BOUND`.
static bool parseWord(StringRef word, unsigned &argument, unsigned &dimension,
                      int64_t &bound) {
  auto [place, number] = word.split('=');
  auto [first, second] = place.split(':');
  return !first.getAsInteger(10, argument) &&
         !second.getAsInteger(10, dimension) &&
         !number.getAsInteger(10, bound) && bound >= 1;
}

static LogicalResult setDimBound(func::FuncOp function, StringRef word) {
  auto fail = [&](const Twine &why) {
    return emitError(function.getLoc()) << "dim-bounds=" << word << ": " << why;
  };
  unsigned argument, dimension;
  int64_t bound;
  if (!parseWord(word, argument, dimension, bound))
    return fail("expected ARGUMENT:DIMENSION=BOUND, a bound of at least 1");
  if (argument >= function.getNumArguments())
    return fail("the step has " + Twine(function.getNumArguments()) +
                " arguments");
  auto type =
      dyn_cast<RankedTensorType>(function.getArgument(argument).getType());
  if (!type || dimension >= type.getRank())
    return fail("the argument has no such dimension");
  if (!type.isDynamicDim(dimension))
    return fail("the dimension is " + Twine(type.getDimSize(dimension)));
  SmallVector<int64_t> bounds(type.getShape());
  if (auto old = function.getArgAttrOfType<DenseI64ArrayAttr>(
          argument, dimBoundsAttrName);
      old && old.size() == type.getRank())
    llvm::copy(old.asArrayRef(), bounds.begin());
  bounds[dimension] = bound;
  function.setArgAttr(argument, dimBoundsAttrName,
                      DenseI64ArrayAttr::get(function.getContext(), bounds));
  return success();
}

LogicalResult memopt::setDimBounds(func::FuncOp function,
                                   ArrayRef<std::string> words) {
  for (const std::string &word : words)
    if (failed(setDimBound(function, word)))
      return failure();
  return success();
}

void memopt::removeDimBounds(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, dimBoundsAttrName);
}

//===----------------------------------------------------------------------===//
// The copy
//===----------------------------------------------------------------------===//

/// Gives the argument its bounds; what has none stays dynamic.
static LogicalResult boundArgument(func::FuncOp function, unsigned number) {
  Attribute attribute = function.getArgAttr(number, dimBoundsAttrName);
  if (!attribute)
    return success();
  BlockArgument argument = function.getArgument(number);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto bounds = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!type || !bounds || bounds.size() != type.getRank())
    return emitError(function.getLoc())
           << "argument #" << number << " of type " << argument.getType()
           << ": '" << dimBoundsAttrName
           << "' is not an array of one i64 a dimension";
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, bound] : llvm::zip_equal(shape, bounds.asArrayRef())) {
    if (!ShapedType::isDynamic(size) || ShapedType::isDynamic(bound))
      continue;
    if (bound < 1)
      return emitError(function.getLoc())
             << "argument #" << number << ": '" << dimBoundsAttrName
             << "' has the bound " << bound << ", not at least 1";
    size = bound;
  }
  argument.setType(type.clone(shape));
  return success();
}

FailureOr<BoundedStep> BoundedStep::make(const TrainingStep &step) {
  BoundedStep bounded;
  bounded.step = step;
  func::FuncOp function = step.getFunction();
  bool hasBounds = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    hasBounds |= bool(function.getArgAttr(i, dimBoundsAttrName));
  if (!hasBounds)
    return bounded;
  bounded.module = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone(bounded.mapping);
  bounded.module->push_back(copy);
  FailureOr<TrainingStep> found = TrainingStep::find(
      *bounded.module,
      {copy.getName().str(), llvm::to_vector(step.getForwardResults())});
  if (failed(found))
    return failure();
  bounded.step = std::move(*found);
  for (unsigned i = 0; i < copy.getNumArguments(); ++i)
    if (failed(boundArgument(copy, i)))
      return failure();
  if (failed(boundShapes(copy.getBody().front())))
    return failure();
  return bounded;
}
