//===- BarriersTest.cpp - barriers and shared memory ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

namespace {

/// Reverses the 64 numbers of a block through shared memory; `barrier` stands
/// between writing and reading.
std::string reverseKernel(const std::string &barrier) {
  return R"(
@line = internal addrspace(3) global [64 x i32] undef, align 16
define ptx_kernel void @reverse(ptr addrspace(1) %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %mine = getelementptr [64 x i32], ptr addrspace(3) @line, i64 0, i64 %i
  store i32 %tid, ptr addrspace(3) %mine
  )" + barrier +
         R"(
  %j = sub i64 63, %i
  %other = getelementptr [64 x i32], ptr addrspace(3) @line, i64 0, i64 %j
  %x = load i32, ptr addrspace(3) %other
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %x, ptr addrspace(1) %q
  ret void
}
)";
}

constexpr const char *kBarrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

class Barriers : public EmulatedDevice {
protected:
  std::vector<int32_t> reversed() {
    std::vector<int32_t> values(64);
    for (int i = 0; i < 64; ++i)
      values[i] = 63 - i;
    return values;
  }
};

TEST_F(Barriers, exchange) {
  compile(reverseKernel(kBarrier));
  DeviceArray to = allocate(256);
  for (const char *order : {"forward", "reverse"}) {
    setOption("thread-order", order);
    EXPECT_EQ(launchAndWait("reverse", {1, 64}, {to.memory}), "");
    EXPECT_EQ(copyOut<int32_t>(to), reversed());
  }
}

/// A missing barrier is reported, in one order as a read of nothing, in the
/// other as well.
TEST_F(Barriers, missing) {
  compile(reverseKernel(""));
  DeviceArray to = allocate(256);
  EXPECT_EQ(
      launchAndWait("reverse", {1, 64}, {to.memory}),
      "kernel reverse, block (0,0,0), thread (0,0,0): reads shared memory "
      "that nobody wrote");
  setOption("thread-order", "reverse");
  EXPECT_EQ(
      launchAndWait("reverse", {1, 64}, {to.memory}),
      "kernel reverse, block (0,0,0), thread (63,0,0): reads shared memory "
      "that nobody wrote");
}

/// What was written, but not with a barrier in between.
TEST_F(Barriers, race) {
  compile(R"(
@slot = internal addrspace(3) global i32 undef, align 4
define ptx_kernel void @race(ptr addrspace(1) %to, i64 %writer) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %isWriter = icmp eq i64 %i, %writer
  br i1 %isWriter, label %write, label %read
write:
  store i32 7, ptr addrspace(3) @slot
  ret void
read:
  %x = load i32, ptr addrspace(3) @slot
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %x, ptr addrspace(1) %q
  ret void
}
)");
  DeviceArray to = allocate(256);
  EXPECT_EQ(
      launchAndWait("race", {1, 64}, {to.memory, nullptr}),
      "kernel race, block (0,0,0), thread (32,0,0): missing barrier: reads "
      "shared memory that thread number 0 of the block wrote since the "
      "last barrier");
}

/// Without checks the orders give different results, NaN bytes among them.
TEST_F(Barriers, missingUnchecked) {
  setOption("checks", "off");
  compile(reverseKernel(""));
  DeviceArray to = allocate(256);
  EXPECT_EQ(launchAndWait("reverse", {1, 64}, {to.memory}), "");
  std::vector<int32_t> forward = copyOut<int32_t>(to);
  setOption("thread-order", "reverse");
  EXPECT_EQ(launchAndWait("reverse", {1, 64}, {to.memory}), "");
  EXPECT_NE(forward, copyOut<int32_t>(to));
  EXPECT_EQ(forward[0], -1);
  EXPECT_EQ(forward[63], 0);
}

/// Threads that skip a barrier, and threads at different ones.
TEST_F(Barriers, divergent) {
  compile(R"(
define ptx_kernel void @skip(i64 %bound) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %waits = icmp ult i64 %i, %bound
  br i1 %waits, label %wait, label %end
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}
define ptx_kernel void @two(i64 %bound) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %isFirst = icmp ult i64 %i, %bound
  br i1 %isFirst, label %first, label %second
first:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
second:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define ptx_kernel void @numbers(i64 %bound) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %number = and i32 %tid, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %number)
  ret void
}
)");
  auto bound = [](intptr_t n) { return reinterpret_cast<void *>(n); };
  EXPECT_EQ(launchAndWait("skip", {1, 64}, {bound(64)}), "");
  EXPECT_EQ(launchAndWait("skip", {1, 64}, {bound(32)}),
            "kernel skip, block (0,0,0), thread (0,0,0): divergent barrier: "
            "waits at barrier 0 for ever; thread (32,0,0) has ended");
  // Whole warps may wait at different instructions, lanes of one may not.
  EXPECT_EQ(launchAndWait("two", {1, 64}, {bound(32)}), "");
  EXPECT_EQ(launchAndWait("two", {1, 64}, {bound(16)}),
            "kernel two, block (0,0,0), thread (16,0,0): divergent barrier: is "
            "at another instruction than thread (15,0,0) of its warp");
  EXPECT_EQ(launchAndWait("numbers", {1, 64}, {bound(0)}),
            "kernel numbers, block (0,0,0), thread (0,0,0): divergent barrier: "
            "waits at barrier 0 for ever; thread (1,0,0) waits at barrier 1");
}

/// A barrier of one warp beside one of the other, and one that counts.
TEST_F(Barriers, namedAndCounting) {
  compile(R"(
define ptx_kernel void @named(ptr addrspace(1) %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %tid, 5
  %number = add i32 %warp, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %number, i32 32)
  %bit = and i32 %tid, 3
  %isZero = icmp eq i32 %bit, 0
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %isZero)
  %i = zext i32 %tid to i64
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %count, ptr addrspace(1) %q
  ret void
}
)");
  DeviceArray to = allocate(256);
  EXPECT_EQ(launchAndWait("named", {1, 64}, {to.memory}, {-256}), "");
  EXPECT_EQ(copyOut<int32_t>(to), std::vector<int32_t>(64, 16));
}

/// The dynamic part has the size of the launch, and lies beside the static one.
TEST_F(Barriers, dynamicShared) {
  compile(R"(
@fixed = internal addrspace(3) global [4 x i32] undef, align 16
@rest = external addrspace(3) global [0 x i32], align 16
define ptx_kernel void @fill(ptr addrspace(1) %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr i32, ptr addrspace(3) @rest, i64 %i
  store i32 %tid, ptr addrspace(3) %p
  store i32 5, ptr addrspace(3) @fixed
  %x = load i32, ptr addrspace(3) %p
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %x, ptr addrspace(1) %q
  ret void
}
)");
  DeviceArray to = allocate(128);
  EXPECT_EQ(launchAndWait("fill", {1, 32, 128}, {to.memory}), "");
  EXPECT_EQ(copyOut<int32_t>(to)[31], 31);
  EXPECT_EQ(
      launchAndWait("fill", {1, 32, 64}, {to.memory}),
      "kernel fill, block (0,0,0), thread (16,0,0): accesses shared memory "
      "out of bounds");
  EXPECT_EQ(launchAndWait("fill", {1, 32, 300000}, {to.memory}),
            "kernel fill: 300016 bytes of shared memory, of at most 232448");
}

} // namespace
