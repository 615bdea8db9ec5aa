//===- StepInterface.h - what a compiled step takes and gives ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A compiled step is a function and a description:
//
//     void memopt_step(void *const *arguments, void *arena);
//     const char memopt_step_description[];   // JSON, null-terminated
//
//     char memopt_step_globals[];             // if globals_bytes is not 0
//
//     {"name":"step","arena_bytes":4096,"arena_alignment":64,"globals_bytes":8,
//      "arguments":[{"type":"f32","shape":[4,8],"donated":false}, ...],
//      "results":[{"type":"f32","shape":[],"offset":0},
//                 {"type":"f32","shape":[8],"argument":3}, ...]}
//
// The step allocates nothing: results with an `offset` lie in the arena, those
// with an `argument` in that argument's memory. Only donated arguments are
// written, and the globals: what goes from one run to the next, as the state of
// a dropout's random numbers.
//
// A step with "target":"nvvm" is for GPUs: the pointers in `arguments` and
// `arena` are device memory, the globals lie in the arena at "globals_offset",
// and the step calls what Runtime/Gpu.h declares.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_STEPINTERFACE_H
#define MEMOPT_RUN_STEPINTERFACE_H

#include "MemOpt/Run/Array.h"
#include <vector>

namespace memopt::run {

constexpr llvm::StringLiteral kStepSymbol = "memopt_step";
constexpr llvm::StringLiteral kDescriptionSymbol = "memopt_step_description";
constexpr llvm::StringLiteral kGlobalsSymbol = "memopt_step_globals";

using StepFunction = void (*)(void *const *arguments, void *arena);

struct StepArgument {
  TensorType type;
  /// The step may write into it.
  bool donated = false;
};

struct StepResult {
  TensorType type;
  /// The argument in whose memory the result lies; none: in the arena.
  std::optional<int64_t> argument;
  /// Bytes from the arena's beginning.
  int64_t offset = 0;
};

struct StepInterface {
  std::string name;
  int64_t arenaBytes = 0;
  /// A power of two.
  int64_t arenaAlignment = 64;
  /// Bytes that the step keeps from one run to the next.
  int64_t globalsBytes = 0;
  /// Where they lie in the arena of a step for GPUs.
  std::optional<int64_t> globalsOffset;
  /// Arguments and arena are memory of a device.
  bool isForGpu = false;
  /// The step asks to be captured as a graph.
  bool cudaGraph = false;
  std::vector<StepArgument> arguments;
  std::vector<StepResult> results;

  /// The sum of the arguments' sizes; INT64_MAX where that is less than it.
  int64_t argumentBytes() const;
};

/// Reads the description. What it says is checked: results lie within the arena
/// or have the type of the argument that they name.
llvm::Expected<StepInterface> parseStepInterface(llvm::StringRef json);

} // namespace memopt::run

#endif // MEMOPT_RUN_STEPINTERFACE_H
