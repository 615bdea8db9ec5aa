//===- Device.h - a GPU, or the emulator of one ----------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_DEVICE_H
#define MEMOPT_RUN_DEVICE_H

#include "MemOpt/Runtime/Gpu.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace memopt::run {

/// One of the two runtime libraries of Runtime/Gpu.h, loaded while the program
/// runs: a program that wants the CPU alone needs neither. Compiled steps that
/// are linked afterwards call into it.
class Device {
public:
  enum class Kind { Emulator, Cuda };

  /// Loads the library, which is enough to compile a step.
  static llvm::Expected<std::unique_ptr<Device>> load(Kind kind);
  /// Opens the device `number`. The error says what is missing: the driver, the
  /// GPU.
  llvm::Error open(int number);
  ~Device();

  Kind kind() const { return which; }
  llvm::Error setOption(const char *name, const char *value);
  /// A JSON object.
  std::string describe();

  llvm::Error copyIn(void *to, const void *from, int64_t bytes);
  llvm::Error copyOut(void *to, const void *from, int64_t bytes);
  llvm::Error poison(void *memory, int64_t bytes, uint8_t value);
  /// Waits; the error is what went wrong since the last time.
  llvm::Error synchronize();
  /// -1 where the device does not know.
  int64_t touchedBytes(const void *memory);
  memopt_gpu_counts counts();

  struct KernelTime {
    std::string name;
    int64_t launches = 0, nanoseconds = 0;
  };
  llvm::Expected<std::vector<KernelTime>> takeKernelTimes();

  llvm::Error beginCapture();
  llvm::Expected<void *> endCapture();
  llvm::Error runGraph(void *graph);
  void freeGraph(void *graph);

private:
  friend class DeviceBuffer;
  struct Library;
  Device(Kind kind, std::unique_ptr<Library> library);
  Kind which;
  std::unique_ptr<Library> library;
};

/// Memory of a device, which must outlive it.
class DeviceBuffer {
public:
  static llvm::Expected<DeviceBuffer> allocate(Device &device, int64_t bytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  char *data() const { return static_cast<char *>(memory); }
  int64_t bytes() const { return byteCount; }

private:
  DeviceBuffer(Device &device, void *memory, int64_t bytes)
      : device(&device), memory(memory), byteCount(bytes) {}
  Device *device;
  void *memory;
  int64_t byteCount;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_DEVICE_H
