//===- BoundShapes.h - from bounded arguments to bounded results *- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ANALYSIS_BOUNDSHAPES_H
#define MEMOPT_LIB_ANALYSIS_BOUNDSHAPES_H

#include "mlir/IR/Block.h"
#include "llvm/Support/LogicalResult.h"

namespace memopt {

/// Replaces dynamic sizes of the results of a block's ops by upper bounds, from
/// the static sizes of what they read. For a copy that analyses read: op
/// verifiers may no longer hold. What cannot be bounded stays dynamic. Fails
/// with a diagnostic where a dynamic shape hangs on a computed value.
llvm::LogicalResult boundShapes(mlir::Block &block);

} // namespace memopt

#endif // MEMOPT_LIB_ANALYSIS_BOUNDSHAPES_H
