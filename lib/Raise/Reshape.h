//===- Reshape.h - a tensor under another shape -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_RESHAPE_H
#define MEMOPT_LIB_RAISE_RESHAPE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace memopt::raising {

/// `value`, a static tensor, under the shape `shape` of as many elements: by
/// collapse_shape, expand_shape, one after the other, or nothing.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_RESHAPE_H
