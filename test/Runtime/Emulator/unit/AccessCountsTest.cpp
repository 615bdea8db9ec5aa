//===- AccessCountsTest.cpp - bytes that kernels move ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"
#include "MemOpt/Runtime/Emulator.h"

#include <map>

namespace {

/// y = x + x' + scale, where x' is x loaded again; the scale is for all.
constexpr const char *kTwice = R"(
define ptx_kernel void @twice(ptr addrspace(1) %x, ptr addrspace(1) %scale, ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %p = getelementptr float, ptr addrspace(1) %x, i64 %i
  %q = getelementptr float, ptr addrspace(1) %y, i64 %i
  %a = load volatile float, ptr addrspace(1) %p
  %b = load volatile float, ptr addrspace(1) %p
  %s = load volatile float, ptr addrspace(1) %scale
  %t = load volatile float, ptr addrspace(1) %scale
  %c = fadd float %a, %b
  %d = fadd float %c, %s
  %e = fadd float %d, %t
  store volatile float %c, ptr addrspace(1) %q
  store volatile float %e, ptr addrspace(1) %q
  ret void
}
)";

using Counts = std::map<std::string, memopt_emulator_bytes>;

class AccessCounts : public EmulatedDevice {
protected:
  Counts take() {
    Counts counts;
    memopt_emulator_visit_bytes(
        [](void *data, const char *kernel, const memopt_emulator_bytes *bytes) {
          (*static_cast<Counts *>(data))[kernel] = *bytes;
        },
        &counts);
    return counts;
  }
};

/// What a thread loads twice counts twice if no other thread loads it.
TEST_F(AccessCounts, rereads) {
  compile(kTwice);
  DeviceArray x = copyIn(std::vector<float>(64, 1)), s = copyIn<float>({2}),
              y = allocate(256);
  setOption("count-bytes", "on");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(launchAndWait("twice", {1, 64}, {x.memory, s.memory, y.memory}),
              "");
  memopt_emulator_bytes bytes = take()["twice"];
  EXPECT_EQ(bytes.launches, 2);
  EXPECT_EQ(bytes.loaded, 2 * 64 * 4 * 4);
  EXPECT_EQ(bytes.stored, 2 * 64 * 2 * 4);
  EXPECT_EQ(bytes.read, 2 * (256 + 4));
  EXPECT_EQ(bytes.reread, 2 * 256);
  EXPECT_EQ(bytes.written, 2 * 256);
  EXPECT_TRUE(take().empty());
}

TEST_F(AccessCounts, offByDefault) {
  compile(kTwice);
  DeviceArray x = copyIn(std::vector<float>(64, 1)), s = copyIn<float>({2}),
              y = allocate(256);
  EXPECT_EQ(launchAndWait("twice", {1, 64}, {x.memory, s.memory, y.memory}),
            "");
  EXPECT_TRUE(take().empty());
}

} // namespace
