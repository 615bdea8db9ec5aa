//===- SpeedTest.cpp - how long a real kernel takes -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

#include <cmath>
#include <ctime>
#include <iostream>

namespace {

/// The sum of %NAME0 over all threads of a block: lanes by shuffles, warps
/// through shared memory, as %NAME.
std::string blockSum(const std::string &name, const std::string &slots) {
  std::string text, last = "%" + name + "0";
  for (int step = 0, distance = 16; distance; ++step, distance /= 2) {
    std::string other = "%" + name + "s" + std::to_string(step),
                next = "%" + name + std::to_string(step + 1);
    text += "  " + other +
            " = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float " +
            last + ", i32 " + std::to_string(distance) + ", i32 31)\n  " +
            next + " = fadd float " + last + ", " + other + "\n";
    last = next;
  }
  text += "  %" + name + "p = getelementptr float, ptr addrspace(3) @" + slots +
          ", i64 %warp\n  store float " + last + ", ptr addrspace(3) %" + name +
          "p\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  last = "0.0";
  for (int warp = 0; warp < 8; ++warp) {
    std::string w = std::to_string(warp), n = "%" + name;
    std::string sum = warp == 7 ? n : n + "t" + w;
    text += "  " + n + "q" + w + " = getelementptr float, ptr addrspace(3) @" +
            slots + ", i64 " + w + "\n  " + n + "l" + w +
            " = load float, ptr addrspace(3) " + n + "q" + w + "\n  " + sum +
            " = fadd float " + last + ", " + n + "l" + w + "\n";
    last = sum;
  }
  return text;
}

/// dx = r (g - mean(g) - xhat mean(g xhat)), a block of 256 threads a row of
/// 1024 elements, four a thread.
std::string layerNormBackward() {
  return R"(
@sums = internal addrspace(3) global [8 x float] undef, align 16
@dots = internal addrspace(3) global [8 x float] undef, align 16
define ptx_kernel void @ln(ptr addrspace(1) noalias %g, ptr addrspace(1) noalias %xhat, ptr addrspace(1) noalias %r, ptr addrspace(1) noalias %dx) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row64 = zext i32 %row to i64
  %tid64 = zext i32 %tid to i64
  %warp = lshr i64 %tid64, 5
  %first = mul i64 %row64, 256
  %at = add i64 %first, %tid64
  %pg = getelementptr <4 x float>, ptr addrspace(1) %g, i64 %at
  %px = getelementptr <4 x float>, ptr addrspace(1) %xhat, i64 %at
  %pd = getelementptr <4 x float>, ptr addrspace(1) %dx, i64 %at
  %pr = getelementptr float, ptr addrspace(1) %r, i64 %row64
  %gv = load <4 x float>, ptr addrspace(1) %pg, align 16
  %xv = load <4 x float>, ptr addrspace(1) %px, align 16
  %rs = load float, ptr addrspace(1) %pr, align 4
  %gx = fmul <4 x float> %gv, %xv
  %a0 = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %gv)
  %b0 = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %gx)
)" + blockSum("a", "sums") +
         blockSum("b", "dots") + R"(
  %ma = fmul float %a, 0x3F50000000000000
  %mb = fmul float %b, 0x3F50000000000000
  %i0 = insertelement <4 x float> poison, float %ma, i32 0
  %va = shufflevector <4 x float> %i0, <4 x float> poison, <4 x i32> zeroinitializer
  %i1 = insertelement <4 x float> poison, float %mb, i32 0
  %vb = shufflevector <4 x float> %i1, <4 x float> poison, <4 x i32> zeroinitializer
  %i2 = insertelement <4 x float> poison, float %rs, i32 0
  %vr = shufflevector <4 x float> %i2, <4 x float> poison, <4 x i32> zeroinitializer
  %t0 = fsub <4 x float> %gv, %va
  %t1 = fmul <4 x float> %xv, %vb
  %t2 = fsub <4 x float> %t0, %t1
  %t3 = fmul <4 x float> %t2, %vr
  store <4 x float> %t3, ptr addrspace(1) %pd, align 16
  ret void
}
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
)";
}

class Speed : public EmulatedDevice {
protected:
  static constexpr int64_t rows = 512, columns = 1024;

  /// Seconds of the processor for a launch, whatever else the machine does.
  double run(const std::vector<void *> &pointers) {
    constexpr int64_t bytes = rows * columns * 4;
    std::clock_t start = std::clock();
    EXPECT_EQ(launchAndWait("ln", {rows, 256}, pointers,
                            {bytes, bytes, rows * 4, -bytes}),
              "");
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  }
};

/// Right in both orders; how long it takes is printed and not judged.
TEST_F(Speed, layerNormBackward) {
  compile(layerNormBackward());
  std::vector<float> g(rows * columns), xhat(rows * columns), r(rows);
  for (size_t i = 0; i < g.size(); ++i) {
    g[i] = std::sin(float(i));
    xhat[i] = std::cos(float(3 * i));
  }
  for (int64_t i = 0; i < rows; ++i)
    r[i] = 1.0f + float(i % 7);
  DeviceArray pg = copyIn(g), px = copyIn(xhat), pr = copyIn(r),
              dx = allocate(pg.bytes);
  std::vector<void *> pointers = {pg.memory, px.memory, pr.memory, dx.memory};
  double first = run(pointers), again = run(pointers);
  std::cout << "LayerNorm backward, 512 blocks of 256 threads: " << again
            << " s, with compilation " << first << " s\n";
  std::vector<float> forward = copyOut<float>(dx);
  setOption("thread-order", "reverse");
  run(pointers);
  EXPECT_EQ(forward, copyOut<float>(dx));
  for (int64_t row : {int64_t(0), rows / 2, rows - 1}) {
    double sum = 0, dot = 0;
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      sum += g[i];
      dot += double(g[i]) * xhat[i];
    }
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
      ASSERT_NEAR(forward[i],
                  r[row] * (g[i] - sum / columns - xhat[i] * dot / columns),
                  1e-5);
  }
}

} // namespace
