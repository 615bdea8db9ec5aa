//===- ImagesTest.cpp - images, launches and graphs -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

#include <cmath>
#include <filesystem>

namespace {

class Images : public EmulatedDevice {
protected:
  std::string launchOf(const std::string &body,
                       const std::string &declarations = "") {
    compile(declarations + "\ndefine ptx_kernel void @k() {\n" + body +
            "\n  ret void\n}\n");
    return launchAndWait("k", {1, 1}, {});
  }
};

TEST_F(Images, refused) {
  useImage("no bitcode at all");
  EXPECT_NE(launchAndWait("k", {1, 1}, {}).find("the image is no LLVM bitcode"),
            std::string::npos);
  EXPECT_EQ(launchOf("call void asm sideeffect \"nanosleep.u32 20;\", \"\"()"),
            "kernel code in @k calls inline PTX 'nanosleep.u32 20;', which is "
            "not emulated");
  EXPECT_EQ(
      launchOf("%c = call i32 @llvm.nvvm.read.ptx.sreg.clock()",
               "declare i32 @llvm.nvvm.read.ptx.sreg.clock()"),
      "kernel code in @k calls llvm.nvvm.read.ptx.sreg.clock, which is not "
      "emulated");
  EXPECT_NE(launchOf("%x = call float @__nv_expf(float 1.0)",
                     "declare float @__nv_expf(float)")
                .find("the image cannot be linked: "),
            std::string::npos);
  EXPECT_EQ(launchOf(""), "");
  EXPECT_EQ(launchAndWait("other", {1, 1}, {}),
            "the image has no kernel other");
  EXPECT_EQ(launchAndWait("k", {1, 1}, {nullptr}),
            "kernel k: takes 0 parameters, not 1");
}

/// What no device takes.
TEST_F(Images, geometry) {
  compile("define ptx_kernel void @k() \"nvvm.maxntid\"=\"128\" { ret void }");
  auto launchK = [&](std::vector<int64_t> geometry) {
    return launchAndWait("k", std::move(geometry), {});
  };
  EXPECT_EQ(launchK({1, 128}), "");
  EXPECT_EQ(launchK({1, 129}),
            "kernel k: 129 threads a block, compiled for at most 128");
  EXPECT_EQ(launchK({1, 1025}), "kernel k: block x is 1025, of 1 to 1024");
  EXPECT_EQ(launchK({0, 1}), "kernel k: grid x is 0, of 1 to 2147483647");
  EXPECT_EQ(launchK({1, 65536, 1, 1, 1, 1, 0}),
            "kernel k: grid y is 65536, of 1 to 65535");
  EXPECT_EQ(launchK({1, 1, 1, 64, 32, 1, 0}),
            "kernel k: 2048 threads a block, of at most 1024");
}

TEST_F(Images, trapsAndAssertions) {
  EXPECT_EQ(launchOf("call void @llvm.trap()", "declare void @llvm.trap()"),
            "kernel k, block (0,0,0), thread (0,0,0): traps");
  compile(R"(
@memopt_gpu_fault = addrspace(1) global i32 0
@memopt_gpu_assertions = addrspace(1) constant [20 x i8] c"a: first\00b: second\00\00"
define ptx_kernel void @b() {
  store i32 2, ptr addrspace(1) @memopt_gpu_fault
  ret void
}
)");
  EXPECT_EQ(launchAndWait("b", {1, 1}, {}), "assertion 2 failed: b: second");
  EXPECT_EQ(synchronize(), "");
}

/// Globals live on, with what they hold at first.
TEST_F(Images, globals) {
  compile(R"(
@state = internal addrspace(1) global i64 40
@table = internal addrspace(4) constant [2 x i32] [i32 7, i32 9]
@pointer = internal addrspace(1) global ptr addrspace(4) getelementptr ([2 x i32], ptr addrspace(4) @table, i64 0, i64 1)
define ptx_kernel void @next(ptr addrspace(1) %to) {
  %old = load i64, ptr addrspace(1) @state
  %new = add i64 %old, 1
  store i64 %new, ptr addrspace(1) @state
  %where = load ptr addrspace(4), ptr addrspace(1) @pointer
  %nine = load i32, ptr addrspace(4) %where
  %nine64 = zext i32 %nine to i64
  %sum = mul i64 %new, %nine64
  store i64 %sum, ptr addrspace(1) %to
  ret void
}
)");
  DeviceArray to = allocate(8);
  EXPECT_EQ(launchAndWait("next", {1, 1}, {to.memory}, {-8}), "");
  EXPECT_EQ(launchAndWait("next", {1, 1}, {to.memory}, {-8}), "");
  EXPECT_EQ(copyOut<int64_t>(to)[0], 42 * 9);
}

/// Rounded to nearest even, subnormal numbers too.
TEST_F(Images, conversions) {
  compile(R"(
define ptx_kernel void @round(ptr addrspace(1) %from, ptr addrspace(1) %b, ptr addrspace(1) %h) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr float, ptr addrspace(1) %from, i64 %i
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr bfloat, ptr addrspace(1) %b, i64 %i
  %y = fptrunc float %x to bfloat
  store bfloat %y, ptr addrspace(1) %q
  %r = getelementptr half, ptr addrspace(1) %h, i64 %i
  %z = fptrunc float %x to half
  store half %z, ptr addrspace(1) %r
  ret void
}
)");
  std::vector<float> values = {1.0f,  1.00390625f, 1.01171875f, 1e-40f,
                               -3.0f, 65504.0f,    6e-8f,       INFINITY};
  std::vector<uint16_t> bfloats = {0x3F80, 0x3F80, 0x3F82, 0x0001,
                                   0xC040, 0x4780, 0x3381, 0x7F80};
  std::vector<uint16_t> halves = {0x3C00, 0x3C04, 0x3C0C, 0x0000,
                                  0xC200, 0x7BFF, 0x0001, 0x7C00};
  DeviceArray from = copyIn(values), b = allocate(16), h = allocate(16);
  EXPECT_EQ(launchAndWait("round", {1, 8}, {from.memory, b.memory, h.memory},
                          {32, -16, -16}),
            "");
  EXPECT_EQ(copyOut<uint16_t>(b), bfloats);
  EXPECT_EQ(copyOut<uint16_t>(h), halves);
}

TEST_F(Images, math) {
  compile(R"(
declare float @llvm.nvvm.ex2.approx.f32(float)
declare float @llvm.nvvm.rcp.rn.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.nvvm.mulhi.ui(i32, i32)
define ptx_kernel void @math(ptr addrspace(1) %to) {
  %a = call float @llvm.nvvm.ex2.approx.f32(float 3.0)
  store float %a, ptr addrspace(1) %to
  %b = call float @llvm.nvvm.rcp.rn.f(float 4.0)
  %pb = getelementptr float, ptr addrspace(1) %to, i64 1
  store float %b, ptr addrspace(1) %pb
  %c = call float @llvm.nvvm.rsqrt.approx.f(float 16.0)
  %pc = getelementptr float, ptr addrspace(1) %to, i64 2
  store float %c, ptr addrspace(1) %pc
  %d = call i32 @llvm.nvvm.mulhi.ui(i32 -1, i32 16)
  %e = uitofp i32 %d to float
  %f = call float @llvm.fma.f32(float %e, float 2.0, float 1.0)
  %pf = getelementptr float, ptr addrspace(1) %to, i64 3
  store float %f, ptr addrspace(1) %pf
  ret void
}
)");
  DeviceArray to = allocate(16);
  EXPECT_EQ(launchAndWait("math", {1, 1}, {to.memory}, {-16}), "");
  EXPECT_EQ(copyOut<float>(to), (std::vector<float>{8, 0.25f, 0.25f, 31}));
}

/// A graph holds values, not the variables that they were in.
TEST_F(Images, graphs) {
  compile(R"(
define ptx_kernel void @add(ptr addrspace(1) %to, i64 %n) {
  %x = load i64, ptr addrspace(1) %to
  %y = add i64 %x, %n
  store i64 %y, ptr addrspace(1) %to
  ret void
}
)");
  DeviceArray to = copyIn(std::vector<int64_t>{1});
  EXPECT_EQ(text(memopt_gpu_begin_capture()), "");
  EXPECT_EQ(text(memopt_gpu_begin_capture()), "a capture within a capture");
  launch("add", {1, 1}, {to.memory, reinterpret_cast<void *>(10)}, {8, 0});
  launch("add", {1, 1}, {to.memory, reinterpret_cast<void *>(20)}, {0, 0});
  void *graph = nullptr;
  EXPECT_EQ(text(memopt_gpu_end_capture(&graph)), "");
  EXPECT_EQ(copyOut<int64_t>(to)[0], 1);
  EXPECT_EQ(text(memopt_gpu_run_graph(graph)), "");
  EXPECT_NE(synchronize().find("only reads it"), std::string::npos);
  memopt_gpu_free_graph(graph);
}

/// Compiled once; an entry that was damaged is written again.
TEST_F(Images, cache) {
  std::string folder = testing::TempDir() + "memopt-kernels";
  std::filesystem::remove_all(folder);
  auto entries = [&] {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      found.push_back(entry.path());
    return found;
  };
  auto time = [&] {
    memopt_gpu_close();
    EXPECT_EQ(text(memopt_gpu_open(0)), "");
    setOption("cache", folder.c_str());
    EXPECT_EQ(launchOf(""), "");
    EXPECT_EQ(entries().size(), 1u);
    return std::filesystem::last_write_time(entries()[0]);
  };
  auto first = time();
  EXPECT_EQ(time(), first);
  std::filesystem::resize_file(entries()[0], 50);
  time();
  EXPECT_GT(std::filesystem::file_size(entries()[0]), 50u);
}

TEST_F(Images, profile) {
  compile("define ptx_kernel void @a() { ret void }\n"
          "define ptx_kernel void @b() { ret void }\n");
  setOption("profile", "on");
  launch("b", {1, 1}, {});
  launch("a", {1, 1}, {});
  launch("b", {1, 1}, {});
  std::vector<std::pair<std::string, int64_t>> found;
  memopt_gpu_kernel_times(
      [](void *data, const char *kernel, int64_t launches, int64_t) {
        static_cast<decltype(found) *>(data)->emplace_back(kernel, launches);
      },
      &found);
  EXPECT_EQ(found,
            (std::vector<std::pair<std::string, int64_t>>{{"b", 2}, {"a", 1}}));
  EXPECT_EQ(text(memopt_gpu_set_option("profile", "maybe")),
            "profile is off or on, not 'maybe'");
  EXPECT_EQ(text(memopt_gpu_set_option("speed", "high")), "no option 'speed'");
}

} // namespace
