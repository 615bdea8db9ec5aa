//===- Passes.h - leaving the memopt dialect --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LOWER_PASSES_H
#define MEMOPT_LOWER_PASSES_H

#include "mlir/Pass/Pass.h"

namespace memopt {

/// What becomes of `memopt.fence` on leaving the dialect.
enum class FenceForm { Scalar, None, Keep };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "MemOpt/Lower/Passes.h.inc"

} // namespace memopt

#endif // MEMOPT_LOWER_PASSES_H
