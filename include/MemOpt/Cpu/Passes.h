//===- Passes.h - code for the CPU ------------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CPU_PASSES_H
#define MEMOPT_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace memopt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "MemOpt/Cpu/Passes.h.inc"

} // namespace memopt

#endif // MEMOPT_CPU_PASSES_H
