//===- Fibre.cpp - a stack of its own for each thread ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fibre.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

// The address sanitizer must be told which stack is the current one.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMOPT_FIBRE_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif
#endif

using namespace memopt::emulator;

static constexpr size_t kGuardBytes = 4096;

/// Nothing lies below a stack: one that overflows ends the process.
static char *makeStack() {
  void *pages =
      mmap(nullptr, Fibre::kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    throw std::bad_alloc();
  mprotect(pages, kGuardBytes, PROT_NONE);
  return static_cast<char *>(pages) + kGuardBytes;
}

Fibre::~Fibre() {
  if (stack)
    munmap(stack - kGuardBytes, kStackBytes + kGuardBytes);
}

//===----------------------------------------------------------------------===//
// Switching
//===----------------------------------------------------------------------===//

#ifdef MEMOPT_FIBRE_UCONTEXT

static ucontext_t outside;
static ucontext_t *inside = nullptr;

void Fibre::start(void (*entry)()) {
  if (!stack)
    stack = makeStack();
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
}

static void switchIn(ucontext_t *context) {
  inside = context;
  swapcontext(&outside, context);
}

static void switchOut() { swapcontext(inside, &outside); }

#else

/// Saves the registers that a call preserves and the stack pointer to *from,
/// and goes on where `to` was saved.
extern "C" void memopt_emulator_switch(void **from, void *to);
asm(R"(
.text
.local memopt_emulator_switch
.type memopt_emulator_switch,@function
memopt_emulator_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size memopt_emulator_switch, .-memopt_emulator_switch
)");

static void *outside = nullptr;
static void **inside = nullptr;
static constexpr size_t kSavedRegisters = 6;

void Fibre::start(void (*entry)()) {
  if (!stack)
    stack = makeStack();
  // As after a call: the return address at 8 modulo 16, where `entry` begins.
  auto **top = reinterpret_cast<void **>(stack + kStackBytes) - 2;
  top[0] = reinterpret_cast<void *>(entry);
  stackPointer = top - kSavedRegisters;
}

static void switchIn(void **stackPointer) {
  inside = stackPointer;
  memopt_emulator_switch(&outside, *stackPointer);
}

static void switchOut() { memopt_emulator_switch(inside, outside); }

#endif

#ifdef MEMOPT_FIBRE_SANITIZED
static const void *outerStack = nullptr;
static size_t outerBytes = 0;
#endif

void Fibre::resume() {
#ifdef MEMOPT_FIBRE_SANITIZED
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack, kStackBytes);
#endif
#ifdef MEMOPT_FIBRE_UCONTEXT
  switchIn(&context);
#else
  switchIn(&stackPointer);
#endif
#ifdef MEMOPT_FIBRE_SANITIZED
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fibre::suspend() {
#ifdef MEMOPT_FIBRE_SANITIZED
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, outerStack, outerBytes);
#endif
  switchOut();
#ifdef MEMOPT_FIBRE_SANITIZED
  __sanitizer_finish_switch_fiber(fake, &outerStack, &outerBytes);
#endif
}

void Fibre::noteEntry() {
#ifdef MEMOPT_FIBRE_SANITIZED
  __sanitizer_finish_switch_fiber(nullptr, &outerStack, &outerBytes);
#endif
}
