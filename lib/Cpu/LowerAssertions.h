//===- LowerAssertions.h - assertions as calls of the runtime ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_LOWERASSERTIONS_H
#define MEMOPT_LIB_CPU_LOWERASSERTIONS_H

#include "MemOpt/Codegen/CodeModule.h"

namespace memopt {

/// Lets every assertion of the module call memopt_cpu_fail, with its kernel's
/// name and its message, where it does not hold. Upstream's lowering writes the
/// message to standard output and aborts, so that it is lost in a buffer.
void callWhereAssertionsFail(CodeModule &code);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_LOWERASSERTIONS_H
