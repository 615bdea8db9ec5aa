//===- Workspace.h - a thread's private memory ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_WORKSPACE_H
#define MEMOPT_LIB_RUNTIME_CPU_WORKSPACE_H

#include <cstdint>

namespace memopt::cpu {

/// Memory aligned to 64 bytes, counted in memopt_cpu_library_bytes. Ends the
/// process with a message where there is none.
class Buffer {
public:
  Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer();
  /// At least `bytes`; what it held before is lost where it grows.
  char *get(int64_t bytes);

private:
  char *data = nullptr;
  int64_t size = 0;
};

/// Where a thread packs operands and makes a tile.
struct Workspace {
  Buffer a, b, tile, scratch;
  Buffer aPanels, bPanels; ///< of f32 products
};
Workspace &getWorkspace();

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_WORKSPACE_H
