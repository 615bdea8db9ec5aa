//===- Runtime.cpp - the entry points of Gpu.h ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "AccessCounts.h"
#include "Emulator.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace memopt::emulator;

/// Keeps a text until the next call; nothing is null.
static const char *answer(std::string text) {
  static std::string kept;
  kept = std::move(text);
  return kept.empty() ? nullptr : kept.c_str();
}

static uint64_t toAddress(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

//===----------------------------------------------------------------------===//
// What a step calls
//===----------------------------------------------------------------------===//

void memopt_gpu_launch(const void *image, int64_t image_bytes,
                       const char *kernel, const int64_t *geometry,
                       void *const *parameters, const int64_t *buffer_bytes,
                       int64_t parameter_count) {
  emulator().launch(image, image_bytes, kernel, geometry, parameters,
                    buffer_bytes, parameter_count);
}

void memopt_gpu_gemm(const int64_t *shape, const void *a, const void *b,
                     void *c, const void *bias, void *workspace,
                     int64_t workspace_bytes) {
  emulator().multiply({shape, a, b, c, bias, workspace, workspace_bytes});
}

void memopt_gpu_gemm_batched(const int64_t *shape, const void *a, const void *b,
                             void *c, const void *matrices, void *workspace,
                             int64_t workspace_bytes) {
  emulator().multiply(
      {shape, a, b, c, nullptr, workspace, workspace_bytes, matrices});
}

//===----------------------------------------------------------------------===//
// What the host of a step calls
//===----------------------------------------------------------------------===//

const char *memopt_gpu_open(int number) {
  if (number)
    return answer("the emulator has one device, so none of number " +
                  std::to_string(number));
  return answer(deviceMemory().open());
}

void memopt_gpu_close(void) { emulator().close(); }

const char *memopt_gpu_set_option(const char *name, const char *value) {
  return answer(emulator().setOption(name, value));
}

const char *memopt_gpu_describe(void) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(
      llvm::json::Object{{"name", "mem-opt emulator"},
                         {"memory_bytes", deviceMemory().totalBytes()}});
  return answer(text);
}

const char *memopt_gpu_allocate(int64_t bytes, void **memory) {
  ++emulator().counts.allocations;
  uint64_t address = 0;
  std::string wrong = deviceMemory().isOpen()
                          ? deviceMemory().allocate(bytes, address)
                          : "memopt_gpu_allocate before memopt_gpu_open";
  *memory = reinterpret_cast<void *>(address);
  return answer(wrong);
}

const char *memopt_gpu_free(void *memory) {
  return answer(memory ? deviceMemory().release(toAddress(memory)) : "");
}

const char *memopt_gpu_copy_in(void *to, const void *from, int64_t bytes) {
  ++emulator().counts.copies;
  return answer(deviceMemory().copyIn(toAddress(to), from, bytes));
}

const char *memopt_gpu_copy_out(void *to, const void *from, int64_t bytes) {
  ++emulator().counts.copies;
  return answer(deviceMemory().copyOut(to, toAddress(from), bytes));
}

const char *memopt_gpu_poison(void *memory, int64_t bytes, uint8_t value) {
  return answer(deviceMemory().poison(toAddress(memory), bytes, value));
}

const char *memopt_gpu_synchronize(void) {
  ++emulator().counts.synchronisations;
  return answer(emulator().synchronize());
}

int64_t memopt_gpu_touched_bytes(const void *memory) {
  return deviceMemory().touchedBytes(toAddress(memory));
}

void memopt_gpu_count(memopt_gpu_counts *counts) {
  *counts = emulator().counts;
}

const char *memopt_gpu_kernel_times(memopt_gpu_time_visitor visit, void *data) {
  for (const Emulator::Time &time : emulator().takeTimes())
    visit(data, time.name.c_str(), time.launches, time.nanoseconds);
  return nullptr;
}

void memopt_emulator_visit_bytes(memopt_emulator_bytes_visitor visit,
                                 void *data) {
  for (const AccessCounts::Sum &sum : accessCounts().take())
    visit(data, sum.kernel.c_str(), &sum.bytes);
}

const char *memopt_gpu_begin_capture(void) {
  return answer(emulator().beginCapture());
}

const char *memopt_gpu_end_capture(void **graph) {
  Graph *made = nullptr;
  std::string wrong = emulator().endCapture(made);
  *graph = made;
  return answer(wrong);
}

const char *memopt_gpu_run_graph(void *graph) {
  return answer(emulator().run(*static_cast<Graph *>(graph)));
}

void memopt_gpu_free_graph(void *graph) { delete static_cast<Graph *>(graph); }
