//===- LaunchTest.cpp - the driver's calls, in their order ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cuda.h>
#include <tuple>
#include <vector>

namespace {

class Launches : public CudaDevice {
protected:
  void launch(const char *kernel, int64_t shared = 0) {
    int64_t geometry[] = {3, 2, 1, 128, 1, 1, shared};
    int64_t value = 42;
    void *parameters[] = {&value};
    memopt_gpu_launch(image.data(), int64_t(image.size()), kernel, geometry,
                      parameters, nullptr, 1);
  }
  static std::string synchronize() { return text(memopt_gpu_synchronize()); }
  std::string image = ".version 8.0 and so on";
};

constexpr const char *kFirst = "first", *kSecond = "second";

/// An image is loaded once and a kernel looked up once; a launch does not wait.
TEST_F(Launches, once) {
  launch(kFirst);
  launch(kFirst);
  launch(kSecond, 100000);
  EXPECT_EQ(takeLog(), "module .version\ncopy out 14\nsynchronize\n"
                       "function first\nlaunch first 3 2 1 128 1 1 0 42\n"
                       "launch first 3 2 1 128 1 1 0 42\n"
                       "function second\nshared 100000\n"
                       "launch second 3 2 1 128 1 1 100000 42\n");
  memopt_gpu_counts counts;
  memopt_gpu_count(&counts);
  EXPECT_EQ(counts.launches, 3);
  EXPECT_EQ(counts.copies + counts.synchronisations + counts.allocations, 0);
  EXPECT_EQ(synchronize(), "");
}

TEST_F(Launches, memory) {
  void *memory = nullptr;
  std::vector<int> values = {1, 2, 3}, back(3);
  EXPECT_EQ(text(memopt_gpu_allocate(12, &memory)), "");
  EXPECT_EQ(text(memopt_gpu_copy_in(memory, values.data(), 12)), "");
  EXPECT_EQ(text(memopt_gpu_copy_out(back.data(), memory, 12)), "");
  EXPECT_EQ(values, back);
  EXPECT_EQ(text(memopt_gpu_poison(memory, 12, 0xFF)), "");
  EXPECT_EQ(text(memopt_gpu_free(memory)), "");
  EXPECT_EQ(takeLog(), "alloc 12\ncopy in 12\nsynchronize\ncopy out 12\n"
                       "synchronize\nset 12\nfree\n");
  failNext("alloc", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(text(memopt_gpu_allocate(5000, &memory)),
            "out of device memory: 5000 bytes wanted, 1000 free");
  EXPECT_EQ(memopt_gpu_touched_bytes(memory), -1);
}

/// A fault lies between the launches since the last wait, or, where each is
/// waited for, in one of them.
TEST_F(Launches, faults) {
  launch(kFirst);
  launch(kSecond);
  failNext("synchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(), "between kernel first and kernel second: "
                           "CUDA_ERROR_ILLEGAL_ADDRESS, its text");
  setOption("locate-faults", "on");
  launch(kFirst);
  failNext("synchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  launch(kSecond);
  launch(kFirst);
  EXPECT_EQ(synchronize(),
            "kernel second: CUDA_ERROR_ILLEGAL_ADDRESS, its text");
  failNext("launch", CUDA_ERROR_INVALID_VALUE);
  launch(kFirst);
  EXPECT_EQ(synchronize(), "kernel first: CUDA_ERROR_OTHER, its text");
  launch("none");
  EXPECT_EQ(synchronize(), "kernel none: CUDA_ERROR_OTHER, its text");
  launch("fail2");
  EXPECT_EQ(synchronize(), "assertion 2 failed: b: two");
  EXPECT_EQ(synchronize(), "");
}

TEST_F(Launches, images) {
  image = "wrong PTX";
  launch(kFirst);
  EXPECT_EQ(synchronize(), "the image cannot be loaded: CUDA_ERROR_OTHER, its "
                           "text: line 1: what is that");
  image = std::string("BC\xC0\xDE") + "...";
  launch(kFirst);
  EXPECT_EQ(synchronize(),
            "the image is LLVM bitcode, which only the emulator takes");
  takeLog();
  image = std::string("\x7F") + "ELF and no NUL";
  launch(kFirst);
  EXPECT_NE(takeLog().find("module \x7F"
                           "ELF\n"),
            std::string::npos);
}

/// Once as it is, then recorded; the graph is one launch.
TEST_F(Launches, graph) {
  launch(kFirst);
  EXPECT_EQ(synchronize(), "");
  takeLog();
  EXPECT_EQ(text(memopt_gpu_begin_capture()), "");
  launch(kFirst);
  void *graph = nullptr;
  EXPECT_EQ(text(memopt_gpu_end_capture(&graph)), "");
  EXPECT_EQ(text(memopt_gpu_run_graph(graph)), "");
  EXPECT_EQ(takeLog(), "begin capture\nlaunch first 3 2 1 128 1 1 0 42\n"
                       "end capture\ninstantiate\ngraph\n");
  failNext("synchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(synchronize(),
            "the step's graph: CUDA_ERROR_ILLEGAL_ADDRESS, its text");
  memopt_gpu_free_graph(graph);
  // What was never loaded cannot be recorded.
  std::string other = image;
  std::swap(other, image);
  EXPECT_EQ(text(memopt_gpu_begin_capture()), "");
  launch(kFirst);
  EXPECT_EQ(text(memopt_gpu_end_capture(&graph)),
            "the image is not loaded: run the step once before a capture");
  EXPECT_EQ(graph, nullptr);
}

TEST_F(Launches, times) {
  setOption("profile", "on");
  launch(kFirst);
  launch(kSecond);
  launch(kFirst);
  std::vector<std::tuple<std::string, int64_t, int64_t>> found;
  EXPECT_EQ(text(memopt_gpu_kernel_times(
                [](void *data, const char *name, int64_t launches,
                   int64_t nanoseconds) {
                  static_cast<decltype(found) *>(data)->emplace_back(
                      name, launches, nanoseconds);
                },
                &found)),
            "");
  // The fake driver's events are half a millisecond apart.
  decltype(found) expected = {{"kernel first", 2, 1000000},
                              {"kernel second", 1, 500000}};
  EXPECT_EQ(found, expected);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_F(Launches, opening) {
  EXPECT_EQ(text(memopt_gpu_describe()),
            "{\"name\":\"fake\",\"memory_bytes\":1048576,\"compute_"
            "capability\":\"9.0\",\"multiprocessors\":0,\"l2_bytes\":0,"
            "\"driver_version\":13000}");
  memopt_gpu_close();
  EXPECT_EQ(text(memopt_gpu_open(1)),
            "the machine has 1 GPU, so none of number 1");
  failNext("init", CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(text(memopt_gpu_open(0)), "no GPU: the NVIDIA driver finds none");
  failNext("init", CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  EXPECT_EQ(text(memopt_gpu_open(0)),
            "the NVIDIA driver does not start: CUDA_ERROR_OTHER, its text");
  setenv("MEMOPT_LIBCUDA", "no such library.so", 1);
  EXPECT_NE(text(memopt_gpu_open(0)).find("no NVIDIA driver: no such library"),
            std::string::npos);
  void *memory = nullptr;
  EXPECT_EQ(text(memopt_gpu_allocate(1, &memory)),
            "memopt_gpu_allocate before memopt_gpu_open");
}

} // namespace
