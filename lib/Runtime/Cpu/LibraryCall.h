//===- LibraryCall.h - within a call of a BLAS ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_LIBRARYCALL_H
#define MEMOPT_LIB_RUNTIME_CPU_LIBRARYCALL_H

#include "OpenMp.h"

namespace memopt::cpu {

/// A call of a BLAS: on this thread alone, and known to those who count what it
/// allocates (memopt_cpu_in_library).
class LibraryCall {
public:
  LibraryCall();
  ~LibraryCall();

private:
  OneThread one;
};

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_LIBRARYCALL_H
