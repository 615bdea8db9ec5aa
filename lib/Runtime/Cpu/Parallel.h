//===- Parallel.h - loops over threads --------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_PARALLEL_H
#define MEMOPT_LIB_RUNTIME_CPU_PARALLEL_H

#include <cstdint>

namespace memopt::cpu {

/// Calls `call(context, i)` for i in [0, count), each once, on the threads
/// there are.
void forEach(int64_t count, void (*call)(void *, int64_t), void *context);

template <typename Call> void forEach(int64_t count, const Call &call) {
  forEach(
      count,
      [](void *context, int64_t i) {
        (*static_cast<const Call *>(context))(i);
      },
      const_cast<Call *>(&call));
}

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_PARALLEL_H
