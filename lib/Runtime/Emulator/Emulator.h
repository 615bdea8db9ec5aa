//===- Emulator.h - the device as a whole ----------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_EMULATOR_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_EMULATOR_H

#include "Image.h"
#include "MemOpt/Runtime/Gpu.h"
#include "Products.h"

#include <array>
#include <deque>
#include <map>
#include <unordered_map>

namespace memopt::emulator {

/// A launch with its parameters' values, so that it can be done later.
struct RecordedLaunch {
  const Kernel *kernel = nullptr;
  std::array<int64_t, MEMOPT_GPU_GEOMETRY> geometry{};
  std::vector<std::vector<char>> values;
  std::vector<int64_t> bufferBytes; ///< empty: nothing is known
};

/// What a capture recorded, in its order.
struct Graph {
  struct Node {
    bool isProduct = false;
    RecordedLaunch launch;
    ProductCall product{};
  };
  std::vector<Node> nodes;
};

class Emulator {
public:
  std::string setOption(const std::string &name, const std::string &value);
  void close();

  void launch(const void *image, int64_t imageBytes, const char *kernel,
              const int64_t *geometry, void *const *parameters,
              const int64_t *bufferBytes, int64_t parameterCount);
  void multiply(const ProductCall &call);
  /// What went wrong since the last time.
  std::string synchronize();

  std::string beginCapture();
  std::string endCapture(Graph *&graph);
  std::string run(const Graph &graph);

  memopt_gpu_counts counts{};
  struct Time {
    std::string name;
    int64_t launches = 0, nanoseconds = 0;
  };
  /// In the order of first launch.
  std::deque<Time> takeTimes();

private:
  void fail(const std::string &what);
  Image *getImage(const void *image, int64_t bytes);
  void execute(const Kernel &kernel, const int64_t *geometry,
               void *const *parameters, const int64_t *bufferBytes);
  void record(const Kernel &kernel, const int64_t *geometry,
              void *const *parameters, const int64_t *bufferBytes);
  void executeProduct(const ProductCall &call);
  bool runBlocks(const Kernel &kernel, const int64_t *geometry);
  /// The assertion that failed in a kernel, if any did.
  std::string takeAssertion(Image &image);

  /// Null where nobody wants it.
  Time *timeOf(const std::string &name);

  std::deque<Time> times;
  bool reverse = false, checks = true, profile = false;
  std::unordered_map<const void *, std::unique_ptr<Image>> images;
  std::map<std::pair<const void *, const char *>, const Kernel *> kernels;
  std::unique_ptr<Graph> recording;
  std::string cacheFolder, fault;
};

Emulator &emulator();

/// What a real device would refuse of a launch.
std::string checkGeometry(const Kernel &kernel, const int64_t *geometry);

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_EMULATOR_H
