//===- MaskedAccessTest.cpp - masked vectors on the emulator --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

namespace {

/// Lanes [0, %n) of four go from one buffer to the other; the gather reads them
/// in the opposite order, and a lane that it leaves out stands at no address.
constexpr const char *kMasked = R"(
declare <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1), <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p1(<4 x float>, ptr addrspace(1), <4 x i1>)
declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p1(<4 x float>, <4 x ptr addrspace(1)>, <4 x i1>)

define ptx_kernel void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) {
  %n0 = insertelement <4 x i64> poison, i64 %n, i64 0
  %ns = shufflevector <4 x i64> %n0, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask = icmp ult <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %ns
  %x = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %from, <4 x i1> %mask, <4 x float> splat (float 9.0))
  call void @llvm.masked.store.v4f32.p1(<4 x float> %x, ptr addrspace(1) align 4 %to, <4 x i1> %mask)
  ret void
}

define ptx_kernel void @turn(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) {
  %n0 = insertelement <4 x i64> poison, i64 %n, i64 0
  %ns = shufflevector <4 x i64> %n0, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask = icmp ult <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %ns
  %behind = sub <4 x i64> %ns, <i64 1, i64 2, i64 3, i64 4>
  %sources = getelementptr float, ptr addrspace(1) %from, <4 x i64> %behind
  %targets = getelementptr float, ptr addrspace(1) %to, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  %x = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %sources, <4 x i1> %mask, <4 x float> zeroinitializer)
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %x, <4 x ptr addrspace(1)> align 4 %targets, <4 x i1> %mask)
  ret void
}
)";

class MaskedAccess : public EmulatedDevice {
protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    compile(kMasked);
    from = copyIn<float>({1, 2, 3});
    to = copyIn<float>({0, 0, 0});
  }
  std::string run(const char *kernel, int64_t count) {
    return launchAndWait(
        kernel, {1, 1},
        {from.memory, to.memory, reinterpret_cast<void *>(count)},
        {12, -12, 0});
  }
  DeviceArray from, to;
};

/// Lanes that take no part touch nothing: both buffers end behind lane 2.
TEST_F(MaskedAccess, lanes) {
  EXPECT_EQ(run("copy", 3), "");
  EXPECT_EQ(copyOut<float>(to), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(run("turn", 3), "");
  EXPECT_EQ(copyOut<float>(to), (std::vector<float>{3, 2, 1}));
}

/// What lanes do is checked as it is elsewhere.
TEST_F(MaskedAccess, faults) {
  EXPECT_EQ(run("copy", 4),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes at byte "
            "12 of operand 0 (12 bytes): out of bounds");
  EXPECT_NE(run("turn", 4).find("kernel turn, block (0,0,0), thread (0,0,0): "
                                "reads 4 bytes"),
            std::string::npos);
  EXPECT_EQ(run("copy", 2),
            "kernel copy: operand 1 (12 bytes): nobody wrote byte 8");
}

/// What cannot be cut into lanes that easily is named.
TEST_F(MaskedAccess, refused) {
  compile(R"(
declare <4 x float> @llvm.masked.expandload.v4f32.p1(ptr addrspace(1), <4 x i1>, <4 x float>)
define ptx_kernel void @k(ptr addrspace(1) %from) {
  %x = call <4 x float> @llvm.masked.expandload.v4f32.p1(ptr addrspace(1) %from, <4 x i1> splat (i1 1), <4 x float> zeroinitializer)
  ret void
}
)");
  EXPECT_EQ(launchAndWait("k", {1, 1}, {from.memory}),
            "kernel code in @k calls llvm.masked.expandload.v4f32.p1, which is "
            "not emulated");
}

} // namespace
