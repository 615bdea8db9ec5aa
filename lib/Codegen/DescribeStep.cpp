//===- DescribeStep.cpp - what a step takes and gives, as JSON ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/StepBuilder.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace memopt;

/// The names that a reader of the description knows; empty for other types.
static std::string getTypeName(Type type) {
  if (!isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type) &&
      !type.isSignlessInteger(1) && !type.isSignlessInteger(8) &&
      !type.isSignlessInteger(16) && !type.isSignlessInteger(32) &&
      !type.isSignlessInteger(64))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// `"type": ..., "shape": ...` of a buffer or tensor.
static LogicalResult describeType(func::FuncOp step, Type type,
                                  llvm::json::OStream &json) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::string name = shaped ? getTypeName(shaped.getElementType()) : "";
  if (name.empty() || !shaped.hasStaticShape())
    return step.emitError("takes or returns a ")
           << type << ", which a step cannot exchange with its caller";
  json.attribute("type", name);
  json.attributeArray("shape", [&] {
    for (int64_t size : shaped.getShape())
      json.value(size);
  });
  return success();
}

static LogicalResult describeArguments(func::FuncOp step,
                                       llvm::json::OStream &json) {
  llvm::SmallDenseSet<int64_t> donated;
  if (auto list = step->getAttrOfType<ArrayAttr>("memopt.donated"))
    for (Attribute number : list)
      if (auto integer = dyn_cast<IntegerAttr>(number))
        donated.insert(integer.getInt());
  if (auto list = step->getAttrOfType<DenseI64ArrayAttr>("memopt.donated"))
    donated.insert(list.asArrayRef().begin(), list.asArrayRef().end());
  LogicalResult ok = success();
  json.attributeArray("arguments", [&] {
    for (BlockArgument argument : step.getArguments().drop_back())
      json.object([&] {
        if (failed(describeType(step, argument.getType(), json)))
          ok = failure();
        json.attribute("donated", donated.contains(argument.getArgNumber()));
      });
  });
  return ok;
}

static LogicalResult describeResult(func::FuncOp step, DictionaryAttr result,
                                    llvm::json::OStream &json) {
  auto type = result ? result.getAs<TypeAttr>("type") : TypeAttr();
  auto offset = result ? result.getAs<IntegerAttr>("offset") : IntegerAttr();
  auto argument =
      result ? result.getAs<IntegerAttr>("argument") : IntegerAttr();
  if (!type || !(offset || argument))
    return step.emitError("each entry of memopt.results must have a type, and "
                          "an offset or an argument");
  if (failed(describeType(step, type.getValue(), json)))
    return failure();
  if (offset)
    json.attribute("offset", offset.getInt());
  else
    json.attribute("argument", argument.getInt());
  return success();
}

FailureOr<std::string>
memopt::describeStep(func::FuncOp step, const StepGlobals &globals,
                     function_ref<void(llvm::json::OStream &)> addMore) {
  auto bytes = step->getAttrOfType<IntegerAttr>("memopt.arena_bytes");
  auto alignment = step->getAttrOfType<IntegerAttr>("memopt.arena_alignment");
  auto results = step->getAttrOfType<ArrayAttr>("memopt.results");
  if (!bytes || !alignment || !results)
    return step.emitError("needs the attributes memopt.arena_bytes, "
                          "memopt.arena_alignment and memopt.results: put "
                          "memopt-plan-memory before");
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  LogicalResult ok = success();
  json.object([&] {
    json.attribute("name", step.getName());
    json.attribute("arena_bytes", bytes.getInt());
    json.attribute("arena_alignment", alignment.getInt());
    if (globals.getBytes())
      json.attribute("globals_bytes", globals.getBytes());
    ok = describeArguments(step, json);
    json.attributeArray("results", [&] {
      for (Attribute result : results)
        json.object([&] {
          if (failed(
                  describeResult(step, dyn_cast<DictionaryAttr>(result), json)))
            ok = failure();
        });
    });
    if (addMore)
      addMore(json);
  });
  if (failed(ok))
    return failure();
  return text;
}
