//===- Workspace.cpp - a thread's private memory --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include "FloatProduct.h"
#include "Layout.h"
#include "OneDnn.h"
#include "OpenMp.h"

#include <atomic>
#include <cblas.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace memopt::cpu;

static std::atomic<int64_t> libraryBytes{0};

Buffer::~Buffer() {
  std::free(data);
  libraryBytes -= size;
}

char *Buffer::get(int64_t bytes) {
  if (bytes <= size)
    return data;
  std::free(data);
  libraryBytes -= size;
  size = (bytes + 63) / 64 * 64;
  data = static_cast<char *>(std::aligned_alloc(64, size));
  if (!data) {
    std::fprintf(stderr, "memopt: no memory for a workspace of %lld bytes\n",
                 static_cast<long long>(size));
    std::abort();
  }
  libraryBytes += size;
  return data;
}

Workspace &memopt::cpu::getWorkspace() {
  static thread_local Workspace workspace;
  return workspace;
}

int64_t memopt_cpu_library_bytes(void) { return libraryBytes; }

/// A product that is too large for OpenBLAS's path without a buffer.
static void warmUpBlas(Workspace &workspace) {
  constexpr int n = 256;
  float *a = reinterpret_cast<float *>(workspace.a.get(packBytes));
  float *b = reinterpret_cast<float *>(workspace.b.get(packBytes));
  float *c = reinterpret_cast<float *>(workspace.tile.get(tileBytes));
  if (getFloatMultiply()) {
    std::memset(workspace.aPanels.get(panelBytes), 0, panelBytes);
    std::memset(workspace.bPanels.get(panelBytes), 0, panelBytes);
  }
  std::memset(a, 0, packBytes);
  std::memset(b, 0, packBytes);
  std::memset(c, 0, tileBytes);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a, n, b, n,
              0, c, n);
}

static void warmUpThread(void *) {
  {
    OneThread one;
    warmUpBlas(getWorkspace());
    makeOneDnnObjects();
  }
  // Each thread held a buffer of the BLAS at the same time as all others.
  GOMP_barrier();
}

void memopt_cpu_warm_up(void) {
  GOMP_parallel(warmUpThread, nullptr,
                static_cast<unsigned>(omp_get_max_threads()), 0);
}
