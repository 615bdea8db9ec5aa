//===- StaticShapes.h - from known arguments to known results -----*- C++ -*-
//===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SPECIALIZE_STATICSHAPES_H
#define MEMOPT_LIB_SPECIALIZE_STATICSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Gives the arguments of `function`, which is one block, `types`, and every
/// value the shape that follows. Fails with a diagnostic at the first op whose
/// shape does not.
llvm::LogicalResult makeShapesStatic(mlir::func::FuncOp function,
                                     llvm::ArrayRef<mlir::Type> types);

} // namespace memopt

#endif // MEMOPT_LIB_SPECIALIZE_STATICSHAPES_H
