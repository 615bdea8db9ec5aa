//===- ProductCall.h - the call of a product --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PRODUCTCALL_H
#define MEMOPT_LIB_GPU_PRODUCTCALL_H

#include "GpuKernelBuilder.h"

namespace memopt {

/// Writes a call of memopt_gpu_gemm, or of memopt_gpu_gemm_batched where the
/// batches of `numbers`, the product's shape, need an array of addresses.
/// `bias` may be null. What cuBLASLt works in begins at byte `place` of the
/// workspace.
void emitProductCall(GpuKernelBuilder &builder, llvm::ArrayRef<int64_t> numbers,
                     llvm::ArrayRef<GpuAddress> operands, mlir::Value bias,
                     int64_t place);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PRODUCTCALL_H
