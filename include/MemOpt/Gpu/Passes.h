//===- Passes.h - code for NVIDIA GPUs --------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_GPU_PASSES_H
#define MEMOPT_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace memopt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "MemOpt/Gpu/Passes.h.inc"

} // namespace memopt

#endif // MEMOPT_GPU_PASSES_H
