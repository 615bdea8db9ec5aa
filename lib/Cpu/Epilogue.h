//===- Epilogue.h - what follows a product ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_EPILOGUE_H
#define MEMOPT_LIB_CPU_EPILOGUE_H

#include "KernelBuilder.h"
#include "MemOpt/Codegen/ProductOutputs.h"
#include "MemOpt/Codegen/ProductShape.h"

namespace memopt {

/// Writes a memopt_cpu_epilogue that makes the outputs from a tile of the sums;
/// `addsInit` where the contraction does not start from zero. Fails where an
/// output has no such code.
llvm::FailureOr<mlir::LLVM::LLVMFuncOp>
emitEpilogue(KernelOp kernel, mlir::linalg::LinalgOp op,
             const ProductShape &shape, llvm::ArrayRef<unsigned> outputs,
             bool addsInit, KernelBuilder &builder);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_EPILOGUE_H
