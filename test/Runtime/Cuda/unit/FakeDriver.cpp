//===- FakeDriver.cpp - a CUDA driver that records what it is asked -------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// libcuda.so for tests on machines without a GPU: device memory is the host's,
// kernels do nothing but what a few names say, and every call that matters is a
// line in a log.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"

#include <cstring>
#include <cuda.h>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

struct FakeFunction {
  std::string name;
};

struct State {
  std::string log, failing;
  CUresult failure = CUDA_SUCCESS;
  std::map<std::string, int> calls;
  std::map<std::string, FakeFunction> functions;
  int32_t faultWord = 0;
  char assertions[16] = "a: one\0b: two";
  int64_t events = 0;
  bool isCapturing = false;
};

State &state() {
  static State s;
  return s;
}

/// Logs a call; its failure, where the test asked for one.
CUresult note(const std::string &name, const std::string &rest = "") {
  state().log += name + (rest.empty() ? "" : " " + rest) + "\n";
  ++state().calls[name];
  if (state().failing != name)
    return CUDA_SUCCESS;
  state().failing.clear();
  return state().failure;
}

} // namespace

extern "C" {

const char *fake_take_log() {
  static std::string taken;
  taken = std::exchange(state().log, "");
  return taken.c_str();
}

void fake_fail(const char *name, int code) {
  state().failing = name;
  state().failure = CUresult(code);
}

CUresult cuInit(unsigned) { return note("init"); }
CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                              : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "its text";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return note("count");
}
CUresult cuDeviceGet(CUdevice *device, int) {
  *device = 7;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int bytes, CUdevice) {
  std::strncpy(name, "fake", bytes);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
  *bytes = 1 << 20;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(1);
  return note("retain");
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return note("release"); }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (CUresult result = note("alloc", std::to_string(bytes)))
    return result;
  *address = reinterpret_cast<CUdeviceptr>(
      ::operator new(bytes, std::align_val_t(256)));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  ::operator delete(reinterpret_cast<void *>(address), std::align_val_t(256));
  return note("free");
}
CUresult cuMemGetInfo(size_t *free, size_t *total) {
  *free = 1000;
  *total = 1 << 20;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return note("copy in", std::to_string(bytes));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return note("copy out", std::to_string(bytes));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return note("set", std::to_string(bytes));
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(2);
  return note("stream");
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return note("synchronize"); }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  state().isCapturing = true;
  return note("begin capture");
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  state().isCapturing = false;
  *graph = reinterpret_cast<CUgraph>(3);
  return note("end capture");
}
CUresult cuGraphInstantiate(CUgraphExec *graph, CUgraph, unsigned long long) {
  *graph = reinterpret_cast<CUgraphExec>(4);
  return note("instantiate");
}
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return note("graph"); }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned,
                            CUjit_option *, void **values) {
  auto *text = static_cast<const char *>(image);
  *module = reinterpret_cast<CUmodule>(5);
  std::strcpy(static_cast<char *>(values[0]), "");
  if (!std::strcmp(text, "wrong PTX")) {
    std::strcpy(static_cast<char *>(values[0]), "line 1: what is that");
    return CUDA_ERROR_INVALID_PTX;
  }
  return note("module", std::string(text, text[0] == '\x7F' ? 4 : 8));
}
CUresult cuModuleUnload(CUmodule) { return note("unload"); }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  if (!std::strcmp(name, "none"))
    return CUDA_ERROR_NOT_FOUND;
  FakeFunction &found = state().functions[name];
  found.name = name;
  *function = reinterpret_cast<CUfunction>(&found);
  return note("function", name);
}
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule,
                           const char *name) {
  bool isFault = !std::strcmp(name, "memopt_gpu_fault");
  *address = isFault ? reinterpret_cast<CUdeviceptr>(&state().faultWord)
                     : reinterpret_cast<CUdeviceptr>(state().assertions);
  *bytes = isFault ? 4 : 14;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value) {
  return note("shared", std::to_string(value));
}
/// A kernel "fail2" stores an assertion's number.
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream, void **parameters, void **) {
  auto &name = reinterpret_cast<FakeFunction *>(function)->name;
  if (name == "fail2")
    state().faultWord = 2;
  std::string rest = name;
  for (unsigned n : {gx, gy, gz, bx, by, bz, shared})
    rest += " " + std::to_string(n);
  rest += " " + std::to_string(*static_cast<int64_t *>(parameters[0]));
  return note("launch", rest);
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(++state().events);
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return note("event"); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  auto first = reinterpret_cast<int64_t>(begin),
       last = reinterpret_cast<int64_t>(end);
  *milliseconds = float(last - first) / 2;
  return CUDA_SUCCESS;
}

} // extern "C"
