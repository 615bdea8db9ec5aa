//===- CompileObject.h - an object file from the LLVM dialect ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_COMPILEOBJECT_H
#define MEMOPT_RUN_COMPILEOBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace memopt::run {

/// Translates a module in the LLVM dialect and compiles it for this machine's
/// CPU, with all of its features, into a relocatable object file.
/// `level` is 0 to 3, as in -O2.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileObject(mlir::ModuleOp module, unsigned level);

/// This machine's CPU and its features, as they enter the key of a cache.
std::string hostCpu();

} // namespace memopt::run

#endif // MEMOPT_RUN_COMPILEOBJECT_H
