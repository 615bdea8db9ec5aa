//===- Launch.cpp - images, launches and graphs ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include <cstring>
#include <utility>

using namespace memopt::cuda;

/// The first fault counts: later ones come of it.
void Gpu::fail(const std::string &what) {
  if (fault.empty())
    fault = what;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static bool begins(const void *image, int64_t bytes, const char *magic,
                   size_t count) {
  return size_t(bytes) >= count && !std::memcmp(image, magic, count);
}

/// Cubins and fat binaries as they are; PTX with the NUL that the driver wants.
std::string Gpu::loadModule(const void *image, int64_t bytes,
                            LoadedImage &loaded) {
  if (begins(image, bytes, "BC\xC0\xDE", 4))
    return "the image is LLVM bitcode, which only the emulator takes";
  bool isBinary = begins(image, bytes,
                         "\x7F"
                         "ELF",
                         4) ||
                  begins(image, bytes, "\x50\xED\x55\xBA", 4);
  std::string text;
  if (!isBinary) {
    text.assign(static_cast<const char *>(image), size_t(bytes));
    image = text.c_str();
  }
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  CUresult result =
      driver.cuModuleLoadDataEx(&loaded.module, image, 2, options, values);
  std::string wrong = check(result, "the image cannot be loaded");
  return wrong.empty() || !*log ? wrong : wrong + ": " + log;
}

/// The texts of the image's assertions, one after another.
std::string Gpu::readAssertions(LoadedImage &loaded) {
  size_t bytes = 0;
  if (driver.cuModuleGetGlobal(&loaded.fault, &bytes, loaded.module,
                               MEMOPT_GPU_FAULT))
    loaded.fault = 0;
  CUdeviceptr texts = 0;
  if (!loaded.fault || driver.cuModuleGetGlobal(&texts, &bytes, loaded.module,
                                                MEMOPT_GPU_ASSERTIONS))
    return "";
  std::vector<char> all(bytes + 1);
  std::string wrong = check(
      driver.cuMemcpyDtoHAsync(all.data(), texts, bytes, stream), "assertions");
  if (wrong.empty())
    wrong = waitForStream();
  for (size_t at = 0; at < bytes && wrong.empty();) {
    loaded.assertions.emplace_back(all.data() + at);
    at += loaded.assertions.back().size() + 1;
  }
  return wrong;
}

LoadedImage *Gpu::getImage(const void *image, int64_t bytes) {
  auto found = images.find(image);
  if (found != images.end())
    return &found->second;
  LoadedImage loaded;
  std::string wrong = isCapturing
                          ? "the image is not loaded: run the step once "
                            "before a capture"
                          : loadModule(image, bytes, loaded);
  if (wrong.empty())
    wrong = readAssertions(loaded);
  if (wrong.empty())
    return &images.emplace(image, std::move(loaded)).first->second;
  fail(wrong);
  return nullptr;
}

CUfunction Gpu::getFunction(LoadedImage &image, const char *name) {
  CUfunction &function = functions[{image.module, name}];
  if (function)
    return function;
  std::string wrong =
      check(driver.cuModuleGetFunction(&function, image.module, name),
            std::string("kernel ") + name);
  if (!wrong.empty())
    fail(wrong);
  return function;
}

//===----------------------------------------------------------------------===//
// Launches and products
//===----------------------------------------------------------------------===//

void Gpu::before(const std::string &name) {
  if (firstLaunch.empty())
    firstLaunch = name;
  lastLaunch = name;
  if (!profile || isCapturing)
    return;
  Timing timing{name};
  driver.cuEventCreate(&timing.begin, CU_EVENT_DEFAULT);
  driver.cuEventCreate(&timing.end, CU_EVENT_DEFAULT);
  driver.cuEventRecord(timing.begin, stream);
  timings.push_back(timing);
}

void Gpu::after(const std::string &name) {
  if (isCapturing)
    return;
  if (profile)
    driver.cuEventRecord(timings.back().end, stream);
  if (!locateFaults)
    return;
  std::string wrong = check(driver.cuStreamSynchronize(stream), name);
  if (!wrong.empty())
    fail(wrong);
  firstLaunch.clear();
}

void Gpu::launch(const void *image, int64_t imageBytes, const char *kernel,
                 const int64_t *g, void *const *parameters) {
  ++counts.launches;
  if (!fault.empty())
    return;
  if (!stream)
    return fail("memopt_gpu_launch before memopt_gpu_open");
  LoadedImage *loaded = getImage(image, imageBytes);
  CUfunction function = loaded ? getFunction(*loaded, kernel) : nullptr;
  if (!function)
    return;
  std::string name = std::string("kernel ") + kernel;
  // Beyond what each kernel may have without asking.
  if (g[6] > 48 * 1024) {
    std::string wrong =
        check(driver.cuFuncSetAttribute(
                  function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                  int(g[6])),
              name);
    if (!wrong.empty())
      return fail(wrong);
  }
  before(name);
  std::string wrong =
      check(driver.cuLaunchKernel(
                function, unsigned(g[0]), unsigned(g[1]), unsigned(g[2]),
                unsigned(g[3]), unsigned(g[4]), unsigned(g[5]), unsigned(g[6]),
                stream, const_cast<void **>(parameters), nullptr),
            name);
  if (!wrong.empty())
    fail(wrong);
  after(name);
}

void Gpu::multiply(const ProductCall &call) {
  ++counts.products;
  if (!fault.empty())
    return;
  if (!stream)
    return fail("memopt_gpu_gemm before memopt_gpu_open");
  std::string name = "product", ignored;
  if (profile || locateFaults)
    if (auto product =
            gpu::getProduct(call.shape, call.bias != nullptr, ignored))
      name += " " + product->print();
  before(name);
  std::string wrong = products.enqueue(call, stream);
  if (!wrong.empty())
    fail(wrong);
  after(name);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

std::string Gpu::waitForStream() {
  CUresult result = driver.cuStreamSynchronize(stream);
  std::string first = std::exchange(firstLaunch, "");
  if (!result)
    return "";
  if (first.empty())
    return check(result, "the GPU");
  return check(result, first == lastLaunch
                           ? first
                           : "between " + first + " and " + lastLaunch);
}

std::string Gpu::takeAssertion(LoadedImage &image) {
  int32_t number = 0;
  if (!image.fault)
    return "";
  std::string wrong = check(
      driver.cuMemcpyDtoHAsync(&number, image.fault, sizeof(number), stream),
      "the assertions");
  if (wrong.empty())
    wrong = waitForStream();
  if (!wrong.empty() || !number)
    return wrong;
  driver.cuMemsetD8Async(image.fault, 0, sizeof(number), stream);
  std::string text = size_t(number) <= image.assertions.size()
                         ? image.assertions[number - 1]
                         : "";
  return "assertion " + std::to_string(number) + " failed: " + text;
}

std::string Gpu::synchronize() {
  ++counts.synchronisations;
  std::string found = std::exchange(fault, "");
  if (!stream)
    return found;
  std::string wrong = waitForStream();
  if (found.empty())
    found = wrong;
  for (auto &[address, image] : images) {
    if (!found.empty())
      break;
    found = takeAssertion(image);
  }
  return found;
}

std::string Gpu::takeTimes(std::deque<KernelTime> &times) {
  std::string wrong = waitForStream();
  for (Timing &timing : timings) {
    float milliseconds = 0;
    if (wrong.empty())
      wrong = check(
          driver.cuEventElapsedTime(&milliseconds, timing.begin, timing.end),
          timing.name);
    driver.cuEventDestroy(timing.begin);
    driver.cuEventDestroy(timing.end);
    auto known = times.begin();
    while (known != times.end() && known->name != timing.name)
      ++known;
    if (known == times.end())
      known = times.insert(known, KernelTime{timing.name});
    ++known->launches;
    known->nanoseconds += int64_t(double(milliseconds) * 1e6);
  }
  timings.clear();
  return wrong;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

std::string Gpu::beginCapture() {
  if (isCapturing)
    return "a capture within a capture";
  std::string wrong = check(
      driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "a capture");
  isCapturing = wrong.empty();
  return wrong;
}

std::string Gpu::endCapture(RecordedGraph *&graph) {
  graph = nullptr;
  if (!isCapturing)
    return "no capture has begun";
  isCapturing = false;
  firstLaunch.clear();
  RecordedGraph made;
  std::string wrong =
      check(driver.cuStreamEndCapture(stream, &made.graph), "a capture");
  std::string within = std::exchange(fault, "");
  if (!within.empty())
    wrong = within;
  if (wrong.empty())
    wrong = check(driver.cuGraphInstantiate(&made.executable, made.graph, 0),
                  "a graph");
  if (wrong.empty())
    graph = new RecordedGraph(made);
  else if (made.graph)
    driver.cuGraphDestroy(made.graph);
  return wrong;
}

std::string Gpu::run(const RecordedGraph &graph) {
  if (firstLaunch.empty())
    firstLaunch = lastLaunch = "the step's graph";
  return check(driver.cuGraphLaunch(graph.executable, stream), "a graph");
}

void Gpu::free(RecordedGraph *graph) {
  if (!graph)
    return;
  driver.cuGraphExecDestroy(graph->executable);
  driver.cuGraphDestroy(graph->graph);
  delete graph;
}
