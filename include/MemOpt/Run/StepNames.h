//===- StepNames.h - the names of a step's arguments and results -*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_STEPNAMES_H
#define MEMOPT_RUN_STEPNAMES_H

#include "MemOpt/Run/StepInterface.h"

namespace memopt::run {

/// What a capture tool writes beside a step: of each argument and result, in
/// order, its kind and its name.
struct StepNames {
  struct Entry {
    std::string kind; ///< param, buffer or input; loss, grad or another
    std::string name;
  };
  std::vector<Entry> arguments, results;
};

/// Reads {"args":[{"kind":..,"name":..}, ...], "results":[...]}; an error where
/// the numbers of entries are not the step's.
llvm::Expected<StepNames> readStepNames(llvm::StringRef path,
                                        const StepInterface &step);

/// A result that is the gradient of an argument.
struct Gradient {
  size_t result = 0, argument = 0;
};

/// The gradients by name: each result of the kind `grad` belongs to the
/// argument of its name.
llvm::Expected<std::vector<Gradient>>
gradientsByName(const StepNames &names, const StepInterface &step);

/// The gradients by position: result 1 + i is the gradient of argument i. An
/// error where some type says otherwise; the message asks for names or a list.
llvm::Expected<std::vector<Gradient>>
gradientsByPosition(const StepInterface &step);

/// The gradients by a list as `0-5,8`: results 1, 2, ... belong to the
/// arguments 0, 1, ..., 5, 8.
llvm::Expected<std::vector<Gradient>>
gradientsByList(llvm::StringRef list, const StepInterface &step);

} // namespace memopt::run

#endif // MEMOPT_RUN_STEPNAMES_H
