//===- Emulator.cpp - the device as a whole -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Access.h"
#include "AccessCounts.h"
#include "BlockRaces.h"

#include <chrono>
#include <cstring>

using namespace memopt::emulator;

Emulator &memopt::emulator::emulator() {
  static Emulator device;
  return device;
}

/// Adds the time from its making to its end.
namespace {
class Stopwatch {
public:
  explicit Stopwatch(Emulator::Time *time) : time(time) {}
  ~Stopwatch() {
    if (!time)
      return;
    ++time->launches;
    time->nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::steady_clock::now() - start)
                             .count();
  }

private:
  Emulator::Time *time;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

Emulator::Time *Emulator::timeOf(const std::string &name) {
  if (!profile)
    return nullptr;
  for (Time &time : times)
    if (time.name == name)
      return &time;
  times.push_back({name});
  return &times.back();
}

std::deque<Emulator::Time> Emulator::takeTimes() {
  return std::exchange(times, {});
}

static std::string readSwitch(const std::string &name, const std::string &value,
                              const char *no, const char *yes, bool &is) {
  if (value != no && value != yes)
    return name + " is " + no + " or " + yes + ", not '" + value + "'";
  is = value == yes;
  return "";
}

std::string Emulator::setOption(const std::string &name,
                                const std::string &value) {
  if (name == "thread-order")
    return readSwitch(name, value, "forward", "reverse", reverse);
  if (name == "checks") {
    std::string wrong = readSwitch(name, value, "off", "on", checks);
    deviceMemory().setTracking(checks);
    return wrong;
  }
  if (name == "cache") {
    cacheFolder = value;
    return "";
  }
  if (name == "locate-faults")
    return ""; // CUDA's
  if (name == "block-races")
    return readSwitch(name, value, "off", "on", blockRaces().isOn);
  if (name == "profile")
    return readSwitch(name, value, "off", "on", profile);
  if (name == "count-bytes") {
    bool is = false;
    std::string wrong = readSwitch(name, value, "off", "on", is);
    accessCounts().setEnabled(is);
    return wrong;
  }
  if (name == "memory-bytes") {
    int64_t bytes = 0;
    if (llvm::StringRef(value).getAsInteger(10, bytes) || bytes <= 0)
      return name + " is a number of bytes, not '" + value + "'";
    deviceMemory().setLimit(bytes);
    return "";
  }
  return "no option '" + name + "'";
}

void Emulator::close() {
  images.clear();
  kernels.clear();
  recording.reset();
  times.clear();
  counts = {};
  fault.clear();
  reverse = profile = false;
  cacheFolder.clear();
  checks = blockRaces().isOn = true;
  accessCounts().setEnabled(false);
  accessCounts().take();
  deviceMemory().setTracking(true);
  deviceMemory().close();
}

/// The first fault counts: later ones may come of it.
void Emulator::fail(const std::string &what) {
  if (fault.empty())
    fault = what;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Image *Emulator::getImage(const void *image, int64_t bytes) {
  std::unique_ptr<Image> &loaded = images[image];
  if (loaded)
    return loaded.get();
  auto made = Image::load(
      llvm::StringRef(static_cast<const char *>(image), size_t(bytes)), checks,
      cacheFolder);
  if (made) {
    loaded = std::move(*made);
    return loaded.get();
  }
  images.erase(image);
  fail(llvm::toString(made.takeError()));
  return nullptr;
}

void Emulator::launch(const void *image, int64_t imageBytes, const char *name,
                      const int64_t *geometry, void *const *parameters,
                      const int64_t *bufferBytes, int64_t parameterCount) {
  ++counts.launches;
  if (!fault.empty())
    return;
  if (!deviceMemory().isOpen())
    return fail("memopt_gpu_launch before memopt_gpu_open");
  Image *loaded = getImage(image, imageBytes);
  if (!loaded)
    return;
  const Kernel *&kernel = kernels[{image, name}];
  if (!kernel)
    kernel = loaded->findKernel(name);
  if (!kernel)
    return fail("the image has no kernel " + std::string(name));
  if (size_t(parameterCount) != kernel->parameterBytes.size())
    return fail("kernel " + kernel->name + ": takes " +
                std::to_string(kernel->parameterBytes.size()) +
                " parameters, not " + std::to_string(parameterCount));
  if (recording)
    record(*kernel, geometry, parameters, bufferBytes);
  else
    execute(*kernel, geometry, parameters, bufferBytes);
}

void Emulator::record(const Kernel &kernel, const int64_t *geometry,
                      void *const *parameters, const int64_t *bufferBytes) {
  RecordedLaunch launch;
  launch.kernel = &kernel;
  std::copy_n(geometry, MEMOPT_GPU_GEOMETRY, launch.geometry.begin());
  size_t count = kernel.parameterBytes.size();
  if (bufferBytes)
    launch.bufferBytes.assign(bufferBytes, bufferBytes + count);
  for (size_t i = 0; i < count; ++i) {
    auto *from = static_cast<const char *>(parameters[i]);
    launch.values.emplace_back(from, from + kernel.parameterBytes[i]);
  }
  recording->nodes.push_back({false, std::move(launch), {}});
}

std::string memopt::emulator::checkGeometry(const Kernel &kernel,
                                            const int64_t *g) {
  // CUDA C++ Programming Guide, technical specifications per compute
  // capability: the same for 8.0 to 10.0, but for the shared memory.
  static constexpr int64_t limits[] = {INT32_MAX, 65535, 65535, 1024, 1024, 64};
  static constexpr const char *names[] = {"grid x",  "grid y",  "grid z",
                                          "block x", "block y", "block z"};
  for (int i = 0; i < 6; ++i)
    if (g[i] < 1 || g[i] > limits[i])
      return std::string(names[i]) + " is " + std::to_string(g[i]) +
             ", of 1 to " + std::to_string(limits[i]);
  int64_t threads = g[3] * g[4] * g[5];
  if (threads > 1024)
    return std::to_string(threads) + " threads a block, of at most 1024";
  if (kernel.requiredThreads && threads != kernel.requiredThreads)
    return std::to_string(threads) + " threads a block, compiled for " +
           std::to_string(kernel.requiredThreads);
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return std::to_string(threads) + " threads a block, compiled for at most " +
           std::to_string(kernel.maxThreads);
  int64_t fixed = 0;
  for (const SharedRange &range : kernel.shared)
    fixed += int64_t(range.bytes);
  if (fixed > 48 * 1024)
    return std::to_string(fixed) +
           " bytes of static shared memory, of at most 49152";
  if (g[6] < 0 || fixed + g[6] > SharedMemory::kMaxBlockBytes)
    return std::to_string(fixed + g[6]) +
           " bytes of shared memory, of at most " +
           std::to_string(SharedMemory::kMaxBlockBytes);
  return "";
}

bool Emulator::runBlocks(const Kernel &kernel, const int64_t *geometry) {
  std::vector<SharedRange> shared = kernel.shared;
  if (kernel.usesDynamic)
    shared.push_back({kernel.dynamicOffset, uint64_t(geometry[6])});
  int64_t blocks = geometry[0] * geometry[1] * geometry[2];
  blockRaces().beginLaunch();
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t number = reverse ? blocks - 1 - i : i;
    blockRaces().beginBlock(number, blockRunner().epoch());
    uint32_t block[3] = {uint32_t(number % geometry[0]),
                         uint32_t(number / geometry[0] % geometry[1]),
                         uint32_t(number / geometry[0] / geometry[1])};
    sharedMemory().reset(shared);
    if (!blockRunner().run(block))
      return false;
  }
  return true;
}

void Emulator::execute(const Kernel &kernel, const int64_t *geometry,
                       void *const *parameters, const int64_t *bufferBytes) {
  Stopwatch watch(timeOf(kernel.name));
  std::string wrong = checkGeometry(kernel, geometry);
  if (wrong.empty() && checks)
    wrong = launchBuffers().begin(kernel.name.c_str(), parameters, bufferBytes,
                                  int64_t(kernel.parameterBytes.size()));
  if (!wrong.empty())
    return fail("kernel " + kernel.name + ": " + wrong);
  uint32_t grid[3], block[3];
  for (int i = 0; i < 3; ++i) {
    grid[i] = uint32_t(geometry[i]);
    block[i] = uint32_t(geometry[3 + i]);
  }
  blockRunner().begin(grid, block, kernel.entry, parameters,
                      kernel.synchronises, reverse);
  accessCounts().begin(kernel.name);
  bool ran = runBlocks(kernel, geometry);
  accessCounts().finish();
  if (!ran)
    return fail("kernel " + kernel.name + ", " + blockRunner().fault());
  if (checks)
    wrong = launchBuffers().finish();
  if (!wrong.empty())
    fail("kernel " + kernel.name + ": " + wrong);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Emulator::multiply(const ProductCall &call) {
  ++counts.products;
  if (!fault.empty())
    return;
  if (!deviceMemory().isOpen())
    return fail("memopt_gpu_gemm before memopt_gpu_open");
  if (!recording)
    return executeProduct(call);
  Graph::Node node;
  node.isProduct = true;
  node.product = call;
  recording->nodes.push_back(std::move(node));
}

void Emulator::executeProduct(const ProductCall &call) {
  std::string ignored;
  auto product = gpu::getProduct(call.shape, call.bias != nullptr, ignored);
  std::string name = "product" + (product ? " " + product->print() : "");
  Stopwatch watch(timeOf(name));
  std::string wrong = runProduct(call, checks);
  if (!wrong.empty())
    fail(name + ": " + wrong);
}

//===----------------------------------------------------------------------===//
// Synchronisation and graphs
//===----------------------------------------------------------------------===//

std::string Emulator::takeAssertion(Image &image) {
  auto [address, bytes] = image.findGlobal(MEMOPT_GPU_FAULT);
  int32_t number = 0;
  if (!address || bytes != sizeof(number))
    return "";
  std::memcpy(&number, deviceMemory().contents(address), sizeof(number));
  std::memset(deviceMemory().contents(address), 0, sizeof(number));
  if (!number)
    return "";
  auto [texts, textBytes] = image.findGlobal(MEMOPT_GPU_ASSERTIONS);
  llvm::StringRef rest(texts ? deviceMemory().contents(texts) : nullptr,
                       texts ? size_t(textBytes) : 0);
  for (int32_t i = 1; i < number; ++i)
    rest = rest.split('\0').second;
  return "assertion " + std::to_string(number) +
         " failed: " + rest.split('\0').first.str();
}

std::string Emulator::synchronize() {
  std::string found = fault;
  fault.clear();
  for (auto &[address, image] : images) {
    std::string assertion = takeAssertion(*image);
    if (found.empty())
      found = assertion;
  }
  return found;
}

std::string Emulator::beginCapture() {
  if (recording)
    return "a capture within a capture";
  recording = std::make_unique<Graph>();
  return "";
}

std::string Emulator::endCapture(Graph *&graph) {
  if (!recording)
    return "no capture has begun";
  graph = recording.release();
  return synchronize();
}

std::string Emulator::run(const Graph &graph) {
  if (recording)
    return "a graph within a capture";
  for (const Graph::Node &node : graph.nodes) {
    if (!fault.empty())
      break;
    if (node.isProduct) {
      executeProduct(node.product);
      continue;
    }
    std::vector<void *> parameters;
    for (const std::vector<char> &value : node.launch.values)
      parameters.push_back(const_cast<char *>(value.data()));
    const std::vector<int64_t> &bytes = node.launch.bufferBytes;
    execute(*node.launch.kernel, node.launch.geometry.data(), parameters.data(),
            bytes.empty() ? nullptr : bytes.data());
  }
  return "";
}
