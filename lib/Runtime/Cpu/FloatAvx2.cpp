//===- FloatAvx2.cpp - f32 products for AVX2 ------------------------------===//
//---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define MEMOPT_VECTOR_BYTES 32
#define MEMOPT_BROADCAST _mm256_set1_ps
#define MEMOPT_ROWS 6
#include "FloatKernels.h"

void memopt::cpu::multiplyByAvx2(const FloatProduct &product, float *aPanels,
                                 float *bPanels) {
  multiplyAll(product, aPanels, bPanels);
}
