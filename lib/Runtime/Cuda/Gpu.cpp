//===- Gpu.cpp - one device, its memory and its options -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

using namespace memopt::cuda;

Gpu &memopt::cuda::gpuDevice() {
  static Gpu gpu;
  return gpu;
}

static CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

std::string Gpu::openContext(int number) {
  CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    return "no GPU: the NVIDIA driver finds none";
  std::string wrong = check(result, "the NVIDIA driver does not start");
  int count = 0;
  if (wrong.empty())
    wrong = check(driver.cuDeviceGetCount(&count), "the number of GPUs");
  if (wrong.empty() && !count)
    return "no GPU: the NVIDIA driver finds none";
  if (wrong.empty() && (number < 0 || number >= count))
    return "the machine has " + std::to_string(count) +
           (count == 1 ? " GPU" : " GPUs") + ", so none of number " +
           std::to_string(number);
  if (wrong.empty())
    wrong = check(driver.cuDeviceGet(&device, number), "the GPU");
  if (wrong.empty())
    wrong = check(driver.cuDevicePrimaryCtxRetain(&context, device),
                  "the GPU's context");
  if (wrong.empty())
    wrong = check(driver.cuCtxSetCurrent(context), "the GPU's context");
  if (wrong.empty())
    wrong = check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                  "a stream");
  return wrong;
}

std::string Gpu::open(int number) {
  if (stream)
    return "";
  std::string wrong = driver.load();
  if (wrong.empty())
    wrong = openContext(number);
  if (!wrong.empty() && context) {
    driver.cuDevicePrimaryCtxRelease(device);
    context = nullptr;
  }
  return wrong;
}

void Gpu::close() {
  if (!stream)
    return;
  products.close();
  for (Timing &timing : timings) {
    driver.cuEventDestroy(timing.begin);
    driver.cuEventDestroy(timing.end);
  }
  for (auto &[address, image] : images)
    driver.cuModuleUnload(image.module);
  driver.cuStreamDestroy(stream);
  driver.cuDevicePrimaryCtxRelease(device);
  stream = nullptr;
  context = nullptr;
  timings.clear();
  images.clear();
  functions.clear();
  fault.clear();
  firstLaunch.clear();
  counts = {};
  profile = locateFaults = isCapturing = false;
}

std::string Gpu::setOption(const std::string &name, const std::string &value) {
  if (name == "thread-order" || name == "checks" || name == "memory-bytes" ||
      name == "cache" || name == "count-bytes")
    return ""; // the emulator's
  if (name != "profile" && name != "locate-faults")
    return "no option '" + name + "'";
  if (value != "on" && value != "off")
    return name + " is off or on, not '" + value + "'";
  (name == "profile" ? profile : locateFaults) = value == "on";
  return "";
}

int Gpu::attribute(CUdevice_attribute which) {
  int value = 0;
  driver.cuDeviceGetAttribute(&value, which, device);
  return value;
}

std::string Gpu::describe() {
  if (!stream)
    return "{}";
  char name[128] = "";
  size_t bytes = 0;
  int version = 0;
  driver.cuDeviceGetName(name, sizeof(name), device);
  driver.cuDeviceTotalMem(&bytes, device);
  driver.cuDriverGetVersion(&version);
  auto capability = [&](CUdevice_attribute which) {
    return std::to_string(attribute(which));
  };
  // Names of GPUs have no characters that JSON would not take.
  return "{\"name\":\"" + std::string(name) +
         "\",\"memory_bytes\":" + std::to_string(bytes) +
         ",\"compute_capability\":\"" +
         capability(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + "." +
         capability(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) +
         "\",\"multiprocessors\":" +
         capability(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) +
         ",\"l2_bytes\":" + capability(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) +
         ",\"driver_version\":" + std::to_string(version) + "}";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::string Gpu::allocate(int64_t bytes, void **memory) {
  ++counts.allocations;
  *memory = nullptr;
  if (!stream)
    return "memopt_gpu_allocate before memopt_gpu_open";
  if (bytes < 0)
    return "an allocation of " + std::to_string(bytes) + " bytes";
  CUdeviceptr address = 0;
  CUresult result =
      driver.cuMemAlloc(&address, bytes ? size_t(bytes) : size_t(1));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    driver.cuMemGetInfo(&free, &total);
    return "out of device memory: " + std::to_string(bytes) +
           " bytes wanted, " + std::to_string(free) + " free";
  }
  *memory = reinterpret_cast<void *>(address);
  return check(result, "an allocation of " + std::to_string(bytes) + " bytes");
}

std::string Gpu::free(void *memory) {
  return memory ? check(driver.cuMemFree(toDevice(memory)), "memopt_gpu_free")
                : "";
}

std::string Gpu::copyIn(void *to, const void *from, int64_t bytes) {
  ++counts.copies;
  if (!bytes)
    return "";
  std::string wrong =
      check(driver.cuMemcpyHtoDAsync(toDevice(to), from, size_t(bytes), stream),
            "copy in of " + std::to_string(bytes) + " bytes");
  return wrong.empty() ? waitForStream() : wrong;
}

std::string Gpu::copyOut(void *to, const void *from, int64_t bytes) {
  ++counts.copies;
  if (!bytes)
    return "";
  std::string wrong =
      check(driver.cuMemcpyDtoHAsync(to, toDevice(from), size_t(bytes), stream),
            "copy out of " + std::to_string(bytes) + " bytes");
  return wrong.empty() ? waitForStream() : wrong;
}

std::string Gpu::poison(void *memory, int64_t bytes, uint8_t value) {
  return bytes ? check(driver.cuMemsetD8Async(toDevice(memory), value,
                                              size_t(bytes), stream),
                       "poison")
               : "";
}
