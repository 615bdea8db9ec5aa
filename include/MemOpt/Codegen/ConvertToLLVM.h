//===- ConvertToLLVM.h - from generated code to the LLVM dialect *- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_CONVERTTOLLVM_H
#define MEMOPT_CODEGEN_CONVERTTOLLVM_H

#include "mlir/Pass/PassManager.h"

namespace memopt {

/// What the conversions below need to know of their dialects.
void registerLLVMConversions(mlir::DialectRegistry &registry);

/// Passes that take generated code (arith, cf, func, llvm, math, memref, scf,
/// vector) to the LLVM dialect alone. `withLibrary`: functions that have no
/// instruction become calls of the C library.
void buildConvertToLLVM(mlir::OpPassManager &manager, bool withLibrary = true);

} // namespace memopt

#endif // MEMOPT_CODEGEN_CONVERTTOLLVM_H
