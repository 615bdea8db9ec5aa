//===- Donate.h - results that take the place of arguments -----------*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_BUFFERS_DONATE_H
#define MEMOPT_LIB_BUFFERS_DONATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Lets results of kernels take the place of the arguments `donated`, each at
/// most once: where the types agree, the kernel is elementwise and reads the
/// argument at the very point that it writes, and nobody reads the argument
/// later. Returns the arguments that are taken, rising.
llvm::SmallVector<int64_t> updateInPlace(mlir::func::FuncOp step,
                                         llvm::ArrayRef<int64_t> donated);

} // namespace memopt

#endif // MEMOPT_LIB_BUFFERS_DONATE_H
