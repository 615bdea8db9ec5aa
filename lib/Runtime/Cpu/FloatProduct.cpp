//===- FloatProduct.cpp - which f32 product this processor takes ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatProduct.h"

using namespace memopt::cpu;

static FloatMultiply choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return multiplyByAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiplyByAvx2;
#endif
  return nullptr;
}

FloatMultiply memopt::cpu::getFloatMultiply() {
  static const FloatMultiply chosen = choose();
  return chosen;
}
