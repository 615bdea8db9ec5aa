//===- Inputs.h - a step's arguments from files or at random ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_INPUTS_H
#define MEMOPT_RUN_INPUTS_H

#include "MemOpt/Run/Execution.h"
#include "MemOpt/Run/Npz.h"

namespace memopt::run {

/// The arrays arg0, arg1, ... of the file. An argument of bf16 may be float32,
/// which is rounded to nearest even. An error where one is missing or has
/// another type or shape, or where the file has more than the step takes.
llvm::Expected<std::vector<Array>> readArguments(const NpzReader &file,
                                                 const StepInterface &step);

/// `I:DIMENSION=SIZE` for each dimension of each array argI of the file: what a
/// step of dynamic shapes is specialized to.
llvm::Expected<std::vector<std::string>> readSizes(const NpzReader &file);

/// An error that names the first argument with a NaN in it.
llvm::Error refuseNaN(llvm::ArrayRef<Array> arguments, llvm::StringRef file);

/// Whole numbers from `low` to `high`, for one argument or for all.
struct IntRange {
  std::optional<size_t> argument;
  int64_t low = 0, high = 1;
};

/// `LOW..HIGH`, or `ARGUMENT:LOW..HIGH`, both ends included.
llvm::Expected<IntRange> parseIntRange(llvm::StringRef text);

/// Floats are normal with deviation 0.1, integers uniform in the range given
/// for the argument, else in the one for all, else 0 or 1. The same on every
/// machine. An error where a range does not fit an argument or belongs to none.
llvm::Expected<std::vector<Array>>
randomArguments(const StepInterface &step, uint64_t seed,
                llvm::ArrayRef<IntRange> ranges);

/// Arguments that change with each step of a training: arrays argI with one
/// dimension more, in front, which counts batches.
class Batches {
public:
  /// An error where the file has none, or they have unlike numbers of batches.
  static llvm::Expected<Batches> read(const NpzReader &file,
                                      const StepInterface &step);

  int64_t count() const { return batches; }
  /// The numbers of the arguments that a batch has.
  std::vector<size_t> arguments() const;
  /// Copies batch `number` modulo `count` to the arguments.
  void load(int64_t number, Execution &execution) const;

private:
  struct Entry {
    size_t argument;
    Array array;
  };
  int64_t batches = 0;
  std::vector<Entry> entries;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_INPUTS_H
