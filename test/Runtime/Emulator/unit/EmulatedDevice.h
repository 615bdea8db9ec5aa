//===- EmulatedDevice.h - kernels of a test on the emulator ----*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUNTIME_EMULATOR_EMULATEDDEVICE_H
#define MEMOPT_TEST_RUNTIME_EMULATOR_EMULATEDDEVICE_H

#include "MemOpt/Runtime/Gpu.h"
#include "gtest/gtest.h"

#include <deque>
#include <string>
#include <vector>

/// Device memory that holds an array of a test.
struct DeviceArray {
  void *memory = nullptr;
  int64_t bytes = 0;
};

/// An open emulator; kernels are written in LLVM IR.
class EmulatedDevice : public testing::Test {
protected:
  void SetUp() override { EXPECT_EQ(text(memopt_gpu_open(0)), ""); }
  void TearDown() override { memopt_gpu_close(); }

  static std::string text(const char *answer) { return answer ? answer : ""; }
  static std::string synchronize() { return text(memopt_gpu_synchronize()); }
  static void setOption(const char *name, const char *value) {
    EXPECT_EQ(text(memopt_gpu_set_option(name, value)), "");
  }

  /// Compiles functions for nvptx64 to bitcode, which is the current image.
  void compile(const std::string &functions);
  void useImage(std::string bytes) { images.push_back(std::move(bytes)); }

  /// Memory that nobody wrote.
  DeviceArray allocate(int64_t bytes);
  template <typename T> DeviceArray copyIn(const std::vector<T> &values) {
    DeviceArray array = allocate(int64_t(values.size() * sizeof(T)));
    EXPECT_EQ(
        text(memopt_gpu_copy_in(array.memory, values.data(), array.bytes)), "");
    return array;
  }
  template <typename T> std::vector<T> copyOut(const DeviceArray &array) {
    std::vector<T> values(array.bytes / sizeof(T));
    EXPECT_EQ(
        text(memopt_gpu_copy_out(values.data(), array.memory, array.bytes)),
        "");
    return values;
  }

  /// Launches with pointers to these; `buffers` as memopt_gpu_launch takes
  /// them, empty: nothing is known.
  void launch(const char *kernel, std::vector<int64_t> geometry,
              std::vector<void *> pointers, std::vector<int64_t> buffers = {});
  /// The same, and what went wrong.
  std::string launchAndWait(const char *kernel, std::vector<int64_t> geometry,
                            std::vector<void *> pointers,
                            std::vector<int64_t> buffers = {}) {
    launch(kernel, std::move(geometry), std::move(pointers),
           std::move(buffers));
    return synchronize();
  }

private:
  std::deque<std::string> images;
};

/// Declarations of what most kernels use.
extern const char *const kDeclarations;

#endif // MEMOPT_TEST_RUNTIME_EMULATOR_EMULATEDDEVICE_H
