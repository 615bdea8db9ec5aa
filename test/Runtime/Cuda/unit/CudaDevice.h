//===- CudaDevice.h - the CUDA runtime on fake libraries -------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUNTIME_CUDA_CUDADEVICE_H
#define MEMOPT_TEST_RUNTIME_CUDA_CUDADEVICE_H

#include "MemOpt/Runtime/Gpu.h"
#include "gtest/gtest.h"

#include <dlfcn.h>
#include <string>

/// An open runtime whose driver and cuBLASLt are the fake ones, which lie where
/// the build says.
class CudaDevice : public testing::Test {
protected:
  void SetUp() override {
    setenv("MEMOPT_LIBCUDA", MEMOPT_FAKE_CUDA, 1);
    setenv("MEMOPT_LIBCUBLASLT", MEMOPT_FAKE_CUBLASLT, 1);
    driver = dlopen(MEMOPT_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    blas = dlopen(MEMOPT_FAKE_CUBLASLT, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(driver && blas) << dlerror();
    ASSERT_EQ(text(memopt_gpu_open(0)), "");
    takeLog();
    takeBlasLog();
  }
  void TearDown() override { memopt_gpu_close(); }

  static std::string text(const char *answer) { return answer ? answer : ""; }
  std::string takeLog() { return takeLogOf(driver); }
  std::string takeBlasLog() { return takeLogOf(blas); }
  void failNext(const char *name, int code) {
    reinterpret_cast<void (*)(const char *, int)>(dlsym(driver, "fake_fail"))(
        name, code);
  }
  static void setOption(const char *name, const char *value) {
    EXPECT_EQ(text(memopt_gpu_set_option(name, value)), "");
  }

private:
  static std::string takeLogOf(void *library) {
    return reinterpret_cast<const char *(*)()>(
        dlsym(library, "fake_take_log"))();
  }
  void *driver = nullptr, *blas = nullptr;
};

#endif // MEMOPT_TEST_RUNTIME_CUDA_CUDADEVICE_H
