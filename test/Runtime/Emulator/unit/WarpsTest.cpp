//===- WarpsTest.cpp - shuffles, votes and reductions of a warp -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

namespace {

/// Thread i stores what a shuffle of i + 100 gives, and whether it was inside.
std::string shuffleKernel(const std::string &mode) {
  return R"(
define ptx_kernel void @shuffle(ptr addrspace(1) %to, i64 %mask, i64 %b, i64 %c) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %value = add i32 %tid, 100
  %mask32 = trunc i64 %mask to i32
  %b32 = trunc i64 %b to i32
  %c32 = trunc i64 %c to i32
  %both = call {i32, i1} @llvm.nvvm.shfl.sync.)" +
         mode + R"(.i32p(i32 %mask32, i32 %value, i32 %b32, i32 %c32)
  %x = extractvalue {i32, i1} %both, 0
  %p = extractvalue {i32, i1} %both, 1
  %p32 = zext i1 %p to i32
  %i = zext i32 %tid to i64
  %q = getelementptr <2 x i32>, ptr addrspace(1) %to, i64 %i
  %y = insertelement <2 x i32> poison, i32 %x, i32 0
  %z = insertelement <2 x i32> %y, i32 %p32, i32 1
  store <2 x i32> %z, ptr addrspace(1) %q
  ret void
}
)";
}

class Warps : public EmulatedDevice {
protected:
  static void *number(int64_t value) { return reinterpret_cast<void *>(value); }

  std::string shuffle(const std::string &mode, int64_t mask, int64_t b,
                      int64_t c, std::vector<int32_t> &result,
                      int64_t threads = 64) {
    compile(shuffleKernel(mode));
    DeviceArray to = allocate(threads * 8);
    std::string wrong =
        launchAndWait("shuffle", {1, threads},
                      {to.memory, number(mask), number(b), number(c)});
    if (wrong.empty())
      result = copyOut<int32_t>(to);
    return wrong;
  }

  /// Widths as CUDA's __shfl_*_sync(mask, value, b, width) sets `c`: the
  /// segment mask in bits 8 to 12, and 31 or, for up, 0 as the clamp.
  static int64_t clamp(const std::string &mode, int64_t width) {
    return (32 - width) << 8 | (mode == "up" ? 0 : 31);
  }

  /// CUDA C++ Programming Guide, "warp shuffle functions": a lane that would
  /// leave its group of `width` lanes keeps its own value.
  static int64_t sourceOf(const std::string &mode, int64_t lane, int64_t b,
                          int64_t width, bool &isInside) {
    int64_t group = lane / width * width, end = group + width, source = lane;
    if (mode == "up")
      source = lane - b;
    else if (mode == "down")
      source = lane + b;
    else if (mode == "bfly")
      source = lane ^ b;
    else
      source = group + b % width;
    // A xor may read an earlier group, not a later one.
    isInside = source < end && (mode == "bfly" || source >= group);
    return isInside ? source : lane;
  }
};

TEST_F(Warps, shuffles) {
  for (std::string mode : {"up", "down", "bfly", "idx"})
    for (int64_t width : {32, 16, 8, 4, 2, 1})
      for (int64_t b : {0, 1, 3, 16, 31}) {
        std::vector<int32_t> result;
        ASSERT_EQ(shuffle(mode, 0xFFFFFFFF, b, clamp(mode, width), result), "");
        for (int64_t i = 0; i < 64; ++i) {
          bool isInside = false;
          int64_t source = sourceOf(mode, i % 32, b, width, isInside);
          EXPECT_EQ(result[2 * i], i / 32 * 32 + source + 100)
              << mode << " " << width << " " << b << " lane " << i;
          EXPECT_EQ(result[2 * i + 1], isInside);
        }
      }
}

/// A mask of half the lanes, called by those alone, and wrong masks.
TEST_F(Warps, masks) {
  std::vector<int32_t> result;
  ASSERT_EQ(shuffle("bfly", 0xFFFF, 1, 31, result, 16), "");
  EXPECT_EQ(result[0], 101);
  EXPECT_EQ(shuffle("bfly", 0xFFFFFFFF, 1, 31, result, 16),
            "kernel shuffle, block (0,0,0), thread (0,0,0): the mask of a warp "
            "operation names lane 16, which the block lacks");
  EXPECT_EQ(shuffle("idx", 0xFFFF, 1, 31, result, 32),
            "kernel shuffle, block (0,0,0), thread (16,0,0): calls a warp "
            "operation whose mask leaves it out");
  EXPECT_EQ(
      shuffle("idx", 0xFFFF, 20, 31, result, 16),
      "kernel shuffle, block (0,0,0), thread (0,0,0): a shuffle reads lane "
      "20, which its mask leaves out");
}

/// A lane that ended before the others shuffle.
TEST_F(Warps, divergent) {
  compile(R"(
define ptx_kernel void @leave(i64 %bound) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %stays = icmp ult i64 %i, %bound
  br i1 %stays, label %vote, label %end
vote:
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  br label %end
end:
  ret void
}
)");
  EXPECT_EQ(launchAndWait("leave", {1, 32}, {number(32)}), "");
  EXPECT_EQ(launchAndWait("leave", {1, 32}, {number(20)}),
            "kernel leave, block (0,0,0), thread (0,0,0): waits at a warp "
            "operation for thread (20,0,0), which has ended");
}

TEST_F(Warps, votesAndReductions) {
  compile(R"(
define ptx_kernel void @vote(ptr addrspace(1) %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %odd = and i32 %tid, 1
  %isOdd = icmp eq i32 %odd, 1
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %isOdd)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %lane, i32 -1)
  %x = insertelement <2 x i32> poison, i32 %ballot, i32 0
  %y = insertelement <2 x i32> %x, i32 %sum, i32 1
  %i = zext i32 %tid to i64
  %q = getelementptr <2 x i32>, ptr addrspace(1) %to, i64 %i
  store <2 x i32> %y, ptr addrspace(1) %q
  ret void
}
)");
  DeviceArray to = allocate(64 * 8);
  for (const char *order : {"forward", "reverse"}) {
    setOption("thread-order", order);
    EXPECT_EQ(launchAndWait("vote", {1, 64}, {to.memory}, {-512}), "");
    std::vector<uint32_t> result = copyOut<uint32_t>(to);
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(result[2 * i], 0xAAAAAAAAu);
      EXPECT_EQ(result[2 * i + 1], 496u);
    }
  }
}

/// Sums of one number of each thread of all blocks, one after another.
TEST_F(Warps, atomics) {
  compile(R"(
define ptx_kernel void @count(ptr addrspace(1) %to) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %to, i32 %tid monotonic
  ret void
}
)");
  DeviceArray to = copyIn(std::vector<int32_t>{5});
  EXPECT_EQ(launchAndWait("count", {10, 8}, {to.memory}), "");
  EXPECT_EQ(copyOut<int32_t>(to)[0], 285);
}

} // namespace
