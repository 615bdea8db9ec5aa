//===- Gpu.h - one device and its stream -----------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CUDA_GPU_H
#define MEMOPT_LIB_RUNTIME_CUDA_GPU_H

#include "Driver.h"
#include "MemOpt/Runtime/Gpu.h"
#include "Products.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace memopt::cuda {

/// An image on the device, and what the runtime reads of it.
struct LoadedImage {
  CUmodule module = nullptr;
  CUdeviceptr fault = 0; ///< MEMOPT_GPU_FAULT; 0: it has none
  std::vector<std::string> assertions;
};

struct RecordedGraph {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
};

/// The sum over the launches of one kernel.
struct KernelTime {
  std::string name;
  int64_t launches = 0, nanoseconds = 0;
};

/// A device, its primary context and one stream, on which all happens. Texts
/// are what went wrong; empty: nothing.
class Gpu {
public:
  std::string open(int number);
  void close();
  std::string setOption(const std::string &name, const std::string &value);
  std::string describe();

  std::string allocate(int64_t bytes, void **memory);
  std::string free(void *memory);
  std::string copyIn(void *to, const void *from, int64_t bytes);
  std::string copyOut(void *to, const void *from, int64_t bytes);
  std::string poison(void *memory, int64_t bytes, uint8_t value);

  void launch(const void *image, int64_t imageBytes, const char *kernel,
              const int64_t *geometry, void *const *parameters);
  void multiply(const ProductCall &call);
  std::string synchronize();

  std::string beginCapture();
  std::string endCapture(RecordedGraph *&graph);
  std::string run(const RecordedGraph &graph);
  void free(RecordedGraph *graph);

  std::string takeTimes(std::deque<KernelTime> &times);

  memopt_gpu_counts counts{};

private:
  struct Timing {
    std::string name;
    CUevent begin = nullptr, end = nullptr;
  };
  std::string check(CUresult result, const std::string &what) const {
    return result ? driver.describe(what, result) : "";
  }
  std::string openContext(int number);
  void fail(const std::string &what);
  int attribute(CUdevice_attribute which);

  LoadedImage *getImage(const void *image, int64_t bytes);
  std::string loadModule(const void *image, int64_t bytes, LoadedImage &loaded);
  std::string readAssertions(LoadedImage &loaded);
  std::string takeAssertion(LoadedImage &image);
  CUfunction getFunction(LoadedImage &image, const char *name);
  /// Around what is enqueued: events where times are wanted, and the place of a
  /// fault where that is.
  void before(const std::string &name);
  void after(const std::string &name);
  /// What the stream says: a fault belongs to what was launched since the last
  /// time.
  std::string waitForStream();

  Driver driver;
  Products products;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  bool profile = false, locateFaults = false, isCapturing = false;
  std::unordered_map<const void *, LoadedImage> images;
  std::map<std::pair<CUmodule, const char *>, CUfunction> functions;
  /// Since the stream was last waited for; the first and last of them.
  std::string firstLaunch, lastLaunch;
  std::deque<Timing> timings;
  std::string fault;
};

Gpu &gpuDevice();

} // namespace memopt::cuda

#endif // MEMOPT_LIB_RUNTIME_CUDA_GPU_H
