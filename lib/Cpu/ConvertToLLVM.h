//===- ConvertToLLVM.h - from generated code to the LLVM dialect *- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_CONVERTTOLLVM_H
#define MEMOPT_LIB_CPU_CONVERTTOLLVM_H

#include "mlir/Pass/PassManager.h"

namespace memopt {

/// What the conversions below need to know of their dialects.
void registerLLVMConversions(mlir::DialectRegistry &registry);

/// Passes that take generated code (arith, cf, func, llvm, math, memref, scf,
/// vector) to the LLVM dialect alone.
void buildConvertToLLVM(mlir::OpPassManager &manager);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_CONVERTTOLLVM_H
