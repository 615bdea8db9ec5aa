//===- Device.cpp - a GPU, or the emulator of one -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Device.h"
#include "MemOpt/Run/Array.h"
#include <dlfcn.h>
#include <utility>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

/// The library's functions by name.
struct Device::Library {
  void *handle = nullptr;
  decltype(&memopt_gpu_open) open;
  decltype(&memopt_gpu_close) close;
  decltype(&memopt_gpu_set_option) set_option;
  decltype(&memopt_gpu_describe) describe;
  decltype(&memopt_gpu_allocate) allocate;
  decltype(&memopt_gpu_free) free;
  decltype(&memopt_gpu_copy_in) copy_in;
  decltype(&memopt_gpu_copy_out) copy_out;
  decltype(&memopt_gpu_poison) poison;
  decltype(&memopt_gpu_synchronize) synchronize;
  decltype(&memopt_gpu_touched_bytes) touched_bytes;
  decltype(&memopt_gpu_count) count;
  decltype(&memopt_gpu_kernel_times) kernel_times;
  decltype(&memopt_gpu_begin_capture) begin_capture;
  decltype(&memopt_gpu_end_capture) end_capture;
  decltype(&memopt_gpu_run_graph) run_graph;
  decltype(&memopt_gpu_free_graph) free_graph;

  template <typename Function> bool find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
  }

  bool findAll() {
    return find(open, "memopt_gpu_open") && find(close, "memopt_gpu_close") &&
           find(set_option, "memopt_gpu_set_option") &&
           find(describe, "memopt_gpu_describe") &&
           find(allocate, "memopt_gpu_allocate") &&
           find(free, "memopt_gpu_free") &&
           find(copy_in, "memopt_gpu_copy_in") &&
           find(copy_out, "memopt_gpu_copy_out") &&
           find(poison, "memopt_gpu_poison") &&
           find(synchronize, "memopt_gpu_synchronize") &&
           find(touched_bytes, "memopt_gpu_touched_bytes") &&
           find(count, "memopt_gpu_count") &&
           find(kernel_times, "memopt_gpu_kernel_times") &&
           find(begin_capture, "memopt_gpu_begin_capture") &&
           find(end_capture, "memopt_gpu_end_capture") &&
           find(run_graph, "memopt_gpu_run_graph") &&
           find(free_graph, "memopt_gpu_free_graph");
  }
};

static Error check(const char *answer) {
  return answer ? makeError("%s", answer) : Error::success();
}

Device::Device(Kind kind, std::unique_ptr<Library> library)
    : which(kind), library(std::move(library)) {}

Device::~Device() { library->close(); }

Expected<std::unique_ptr<Device>> Device::load(Kind kind) {
  const char *name = kind == Kind::Emulator ? "libmemopt_emulator_runtime.so"
                                            : "libmemopt_cuda_runtime.so";
  auto library = std::make_unique<Library>();
  // Global, so that steps find what they call; never closed, since they may be
  // linked to it.
  library->handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!library->handle)
    return makeError("%s", dlerror());
  if (!library->findAll())
    return makeError("%s lacks a function of Runtime/Gpu.h", name);
  return std::unique_ptr<Device>(new Device(kind, std::move(library)));
}

Error Device::open(int number) { return check(library->open(number)); }

Error Device::setOption(const char *name, const char *value) {
  return check(library->set_option(name, value));
}

std::string Device::describe() {
  const char *text = library->describe();
  return text ? text : "{}";
}

Error Device::copyIn(void *to, const void *from, int64_t bytes) {
  return check(library->copy_in(to, from, bytes));
}

Error Device::copyOut(void *to, const void *from, int64_t bytes) {
  return check(library->copy_out(to, from, bytes));
}

Error Device::poison(void *memory, int64_t bytes, uint8_t value) {
  return check(library->poison(memory, bytes, value));
}

Error Device::synchronize() { return check(library->synchronize()); }

int64_t Device::touchedBytes(const void *memory) {
  return library->touched_bytes(memory);
}

memopt_gpu_counts Device::counts() {
  memopt_gpu_counts counts;
  library->count(&counts);
  return counts;
}

Expected<std::vector<Device::KernelTime>> Device::takeKernelTimes() {
  std::vector<KernelTime> times;
  auto add = [](void *data, const char *name, int64_t launches,
                int64_t nanoseconds) {
    static_cast<std::vector<KernelTime> *>(data)->push_back(
        {name, launches, nanoseconds});
  };
  if (Error error = check(library->kernel_times(add, &times)))
    return error;
  return times;
}

Error Device::beginCapture() { return check(library->begin_capture()); }

Expected<void *> Device::endCapture() {
  void *graph = nullptr;
  if (Error error = check(library->end_capture(&graph)))
    return error;
  return graph;
}

Error Device::runGraph(void *graph) { return check(library->run_graph(graph)); }

void Device::freeGraph(void *graph) { library->free_graph(graph); }

//===----------------------------------------------------------------------===//
// DeviceBuffer
//===----------------------------------------------------------------------===//

Expected<DeviceBuffer> DeviceBuffer::allocate(Device &device, int64_t bytes) {
  void *memory = nullptr;
  if (Error error = check(device.library->allocate(bytes, &memory)))
    return error;
  return DeviceBuffer(device, memory, bytes);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device(other.device), memory(std::exchange(other.memory, nullptr)),
      byteCount(other.byteCount) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(memory, other.memory);
  std::swap(byteCount, other.byteCount);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  // The message would be that of a step that failed, which was reported.
  if (memory)
    device->library->free(memory);
}
