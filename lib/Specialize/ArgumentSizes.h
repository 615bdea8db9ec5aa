//===- ArgumentSizes.h - the sizes of a step's arguments ----------*- C++ -*-
//===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SPECIALIZE_ARGUMENTSIZES_H
#define MEMOPT_LIB_SPECIALIZE_ARGUMENTSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// The type of each argument with the sizes of `ARGUMENT:DIMENSION=SIZE` words;
/// other types as they are. Fails with a diagnostic where a word does not fit,
/// a dimension has no size, or a size passes the bound of `memopt.dim_bounds`.
llvm::FailureOr<llvm::SmallVector<mlir::Type>>
getSizedArguments(mlir::func::FuncOp function,
                  llvm::ArrayRef<std::string> words);

} // namespace memopt

#endif // MEMOPT_LIB_SPECIALIZE_ARGUMENTSIZES_H
