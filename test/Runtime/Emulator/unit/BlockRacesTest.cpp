//===- BlockRacesTest.cpp - blocks that have no order ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

namespace {

/// Block i of one thread: @write stores i at place i / %share, @read copies
/// place i - 1 to place i, @add adds atomically to place 0.
constexpr const char *kBlocks = R"(
define ptx_kernel void @write(ptr addrspace(1) %to, i64 %share) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext i32 %block to i64
  %at = udiv i64 %i, %share
  %p = getelementptr i32, ptr addrspace(1) %to, i64 %at
  store i32 %block, ptr addrspace(1) %p
  ret void
}
define ptx_kernel void @read(ptr addrspace(1) %to, i64 %far) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext i32 %block to i64
  %p = getelementptr i32, ptr addrspace(1) %to, i64 %i
  %behind = add i64 %i, %far
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %behind
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  ret void
}
define ptx_kernel void @add(ptr addrspace(1) %to, i64 %none) {
  %old = atomicrmw add ptr addrspace(1) %to, i32 1 monotonic
  ret void
}
)";

class BlockRaces : public EmulatedDevice {
protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    compile(kBlocks);
    to = copyIn(std::vector<int32_t>(9, 7));
  }
  std::string run(const char *kernel, int64_t number) {
    return launchAndWait(kernel, {4, 1},
                         {to.memory, reinterpret_cast<void *>(number)});
  }
  DeviceArray to;
};

TEST_F(BlockRaces, none) {
  EXPECT_EQ(run("write", 1), "");
  // What an earlier launch wrote is there.
  EXPECT_EQ(run("read", 4), "");
  EXPECT_EQ(run("write", 1), "");
  EXPECT_EQ(run("add", 0), "");
}

TEST_F(BlockRaces, twoWrite) {
  EXPECT_EQ(run("write", 2),
            "kernel write, block (1,0,0), thread (0,0,0): writes 4 bytes "
            "through operand 0: block (0,0,0) wrote it in the same launch, "
            "and nothing orders the two");
  setOption("thread-order", "reverse");
  EXPECT_EQ(run("write", 2),
            "kernel write, block (2,0,0), thread (0,0,0): writes 4 bytes "
            "through operand 0: block (3,0,0) wrote it in the same launch, "
            "and nothing orders the two");
  setOption("block-races", "off");
  EXPECT_EQ(run("write", 2), "");
}

/// A block reads before another one writes: seen in the other order.
TEST_F(BlockRaces, oneReads) {
  EXPECT_EQ(run("read", 1), "");
  setOption("thread-order", "reverse");
  EXPECT_EQ(run("read", 1),
            "kernel read, block (2,0,0), thread (0,0,0): reads 4 bytes "
            "through operand 0: block (3,0,0) wrote it in the same launch, "
            "and nothing orders the two");
}

} // namespace
