//===- Runtime.cpp - the entry points of Gpu.h ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

using namespace memopt::cuda;

/// Keeps a text until the next call; nothing is null.
static const char *answer(std::string text) {
  static std::string kept;
  kept = std::move(text);
  return kept.empty() ? nullptr : kept.c_str();
}

void memopt_gpu_launch(const void *image, int64_t image_bytes,
                       const char *kernel, const int64_t *geometry,
                       void *const *parameters, const int64_t *buffer_bytes,
                       int64_t parameter_count) {
  gpuDevice().launch(image, image_bytes, kernel, geometry, parameters);
}

void memopt_gpu_gemm(const int64_t *shape, const void *a, const void *b,
                     void *c, const void *bias, void *workspace,
                     int64_t workspace_bytes) {
  gpuDevice().multiply({shape, a, b, c, bias, workspace, workspace_bytes});
}

void memopt_gpu_gemm_batched(const int64_t *shape, const void *a, const void *b,
                             void *c, const void *matrices, void *workspace,
                             int64_t workspace_bytes) {
  gpuDevice().multiply(
      {shape, a, b, c, nullptr, workspace, workspace_bytes, matrices});
}

const char *memopt_gpu_open(int number) {
  return answer(gpuDevice().open(number));
}

void memopt_gpu_close(void) { gpuDevice().close(); }

const char *memopt_gpu_set_option(const char *name, const char *value) {
  return answer(gpuDevice().setOption(name, value));
}

const char *memopt_gpu_describe(void) { return answer(gpuDevice().describe()); }

const char *memopt_gpu_allocate(int64_t bytes, void **memory) {
  return answer(gpuDevice().allocate(bytes, memory));
}

const char *memopt_gpu_free(void *memory) {
  return answer(gpuDevice().free(memory));
}

const char *memopt_gpu_copy_in(void *to, const void *from, int64_t bytes) {
  return answer(gpuDevice().copyIn(to, from, bytes));
}

const char *memopt_gpu_copy_out(void *to, const void *from, int64_t bytes) {
  return answer(gpuDevice().copyOut(to, from, bytes));
}

const char *memopt_gpu_poison(void *memory, int64_t bytes, uint8_t value) {
  return answer(gpuDevice().poison(memory, bytes, value));
}

const char *memopt_gpu_synchronize(void) {
  return answer(gpuDevice().synchronize());
}

int64_t memopt_gpu_touched_bytes(const void *memory) { return -1; }

void memopt_gpu_count(memopt_gpu_counts *counts) {
  *counts = gpuDevice().counts;
}

const char *memopt_gpu_kernel_times(memopt_gpu_time_visitor visit, void *data) {
  std::deque<KernelTime> times;
  std::string wrong = gpuDevice().takeTimes(times);
  for (const KernelTime &time : times)
    visit(data, time.name.c_str(), time.launches, time.nanoseconds);
  return answer(wrong);
}

const char *memopt_gpu_begin_capture(void) {
  return answer(gpuDevice().beginCapture());
}

const char *memopt_gpu_end_capture(void **graph) {
  RecordedGraph *made = nullptr;
  std::string wrong = gpuDevice().endCapture(made);
  *graph = made;
  return answer(wrong);
}

const char *memopt_gpu_run_graph(void *graph) {
  return answer(gpuDevice().run(*static_cast<RecordedGraph *>(graph)));
}

void memopt_gpu_free_graph(void *graph) {
  gpuDevice().free(static_cast<RecordedGraph *>(graph));
}
