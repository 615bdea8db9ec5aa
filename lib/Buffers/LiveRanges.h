//===- LiveRanges.h - from when to when a buffer holds something -----*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_BUFFERS_LIVERANGES_H
#define MEMOPT_LIB_BUFFERS_LIVERANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace memopt {

/// The value that `buffer` is a view of, through all views.
mlir::Value getViewedBuffer(mlir::Value buffer);

/// A buffer that the step allocates. The ops that touch buffers are numbered in
/// their order; those from `first` to `last` need it, and `last` is the last of
/// all where it is returned.
struct LiveBuffer {
  mlir::Value alloc; // a memref.alloc's
  int64_t bytes = 0;
  int first = -1, last = -1; // -1: nothing touches it
};

/// In the order of the allocations. Fails with a diagnostic where a size is not
/// known.
llvm::FailureOr<llvm::SmallVector<LiveBuffer>>
computeLiveRanges(mlir::func::FuncOp step);

} // namespace memopt

#endif // MEMOPT_LIB_BUFFERS_LIVERANGES_H
