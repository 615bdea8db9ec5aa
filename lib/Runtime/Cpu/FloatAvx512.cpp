//===- FloatAvx512.cpp - f32 products for AVX-512 -------------------------===//
//-------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define MEMOPT_VECTOR_BYTES 64
#define MEMOPT_BROADCAST _mm512_set1_ps
#define MEMOPT_ROWS 12
#include "FloatKernels.h"

void memopt::cpu::multiplyByAvx512(const FloatProduct &product, float *aPanels,
                                   float *bPanels) {
  multiplyAll(product, aPanels, bPanels);
}
