//===- Fibre.h - a stack of its own for each thread ------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_FIBRE_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_FIBRE_H

#include <cstddef>

#if !defined(__x86_64__) || defined(MEMOPT_EMULATOR_UCONTEXT)
#define MEMOPT_FIBRE_UCONTEXT
#include <ucontext.h>
#endif

namespace memopt::emulator {

/// A function that can stop in the middle and go on later. Switching costs some
/// ten instructions on x86-64 and two system calls elsewhere.
class Fibre {
public:
  static constexpr size_t kStackBytes = size_t(1) << 18;

  Fibre() = default;
  Fibre(const Fibre &) = delete;
  ~Fibre();

  /// The next `resume` calls `entry`, which must not return but `suspend` for
  /// ever. What the fibre did before is forgotten.
  void start(void (*entry)());
  /// Runs until it suspends itself.
  void resume();
  /// Called first in `entry`.
  static void noteEntry();
  /// Called within a fibre: back to who resumed it.
  static void suspend();

  /// Whether an address is on this stack.
  bool holds(const void *address) const {
    auto *at = static_cast<const char *>(address);
    return stack && at >= stack && at < stack + kStackBytes;
  }

private:
  char *stack = nullptr;
#ifdef MEMOPT_FIBRE_UCONTEXT
  ucontext_t context;
#else
  void *stackPointer = nullptr;
#endif
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_FIBRE_H
