//===- Passes.h - from tensors to one arena ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_BUFFERS_PASSES_H
#define MEMOPT_BUFFERS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace memopt {

#define GEN_PASS_DECL
#include "MemOpt/Buffers/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "MemOpt/Buffers/Passes.h.inc"

} // namespace memopt

#endif // MEMOPT_BUFFERS_PASSES_H
