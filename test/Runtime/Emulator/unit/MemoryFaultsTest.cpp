//===- MemoryFaultsTest.cpp - wrong accesses of device memory -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

#include <numeric>

namespace {

/// Thread i copies element i + shift of %from, four bytes, to element i of %to.
constexpr const char *kCopy = R"(
define ptx_kernel void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %shift) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %block, %size
  %i32 = add i32 %base, %tid
  %i = sext i32 %i32 to i64
  %at = add i64 %i, %shift
  %p = getelementptr float, ptr addrspace(1) %from, i64 %at
  %q = getelementptr float, ptr addrspace(1) %to, i64 %i
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(1) %q
  ret void
}
)";

class MemoryFaults : public EmulatedDevice {
protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    compile(kCopy);
    std::iota(values.begin(), values.end(), 1.0f);
    from = copyIn(values);
    to = allocate(from.bytes);
  }
  /// Two blocks of 32 threads; `shift` elements further.
  std::string copy(void *source, void *target, int64_t shift,
                   std::vector<int64_t> buffers = {}) {
    return launchAndWait("copy", {2, 32},
                         {source, target, reinterpret_cast<void *>(shift)},
                         std::move(buffers));
  }
  std::vector<float> values = std::vector<float>(64);
  DeviceArray from, to;
};

/// What is right stays unreported, and is counted.
TEST_F(MemoryFaults, none) {
  EXPECT_EQ(copy(from.memory, to.memory, 0, {256, -256, 0}), "");
  EXPECT_EQ(copyOut<float>(to), values);
  memopt_gpu_counts counts;
  memopt_gpu_count(&counts);
  EXPECT_EQ(counts.launches, 1);
  EXPECT_EQ(counts.allocations, 2);
  EXPECT_EQ(counts.copies, 2);
  EXPECT_EQ(counts.synchronisations, 1);
}

/// A forgotten copy to the device leaves a host pointer.
TEST_F(MemoryFaults, hostPointer) {
  EXPECT_EQ(copy(values.data(), to.memory, 0),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: a host address");
  EXPECT_EQ(copy(values.data(), to.memory, 0, {256, -256, 0}),
            "kernel copy: operand 0: a host address where device memory is "
            "meant");
  EXPECT_EQ(copy(nullptr, to.memory, 0),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: a null pointer");
}

/// The other way round: copies that mix up the two memories.
TEST_F(MemoryFaults, copies) {
  EXPECT_EQ(text(memopt_gpu_copy_in(values.data(), values.data(), 4)),
            "copy in: a host address where device memory is meant");
  EXPECT_EQ(text(memopt_gpu_copy_out(from.memory, from.memory, 4)),
            "copy out: a device address where host memory is meant");
  EXPECT_EQ(text(memopt_gpu_copy_in(from.memory, values.data(), 257)),
            "copy in: 257 bytes at byte 0 of an allocation of 256 bytes");
  EXPECT_EQ(text(memopt_gpu_copy_out(values.data(), to.memory, 4)),
            "copy out: nobody wrote byte 0 of an allocation of 256 bytes");
}

/// Device memory is no memory of the host's.
TEST_F(MemoryFaults, hostDereferences) {
  EXPECT_DEATH(*static_cast<volatile float *>(from.memory) = 1, "");
}

TEST_F(MemoryFaults, unwritten) {
  EXPECT_EQ(copy(to.memory, from.memory, 0),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: nobody wrote it");
  EXPECT_EQ(text(memopt_gpu_poison(from.memory, 64, 0)), "");
  EXPECT_EQ(copy(from.memory, to.memory, 8, {256, -256, 0}),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes at byte "
            "32 of operand 0 (256 bytes): nobody wrote it");
}

TEST_F(MemoryFaults, freed) {
  EXPECT_EQ(text(memopt_gpu_free(from.memory)), "");
  EXPECT_EQ(copy(from.memory, to.memory, 0),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: freed memory");
  EXPECT_EQ(text(memopt_gpu_free(from.memory)), "device memory is freed twice");
}

/// Beyond the allocation, and beyond a buffer within it.
TEST_F(MemoryFaults, outOfBounds) {
  EXPECT_EQ(
      copy(from.memory, to.memory, 1),
      "kernel copy, block (1,0,0), thread (31,0,0): reads 4 bytes through "
      "operand 0: out of bounds, at byte 256 of an allocation of 256 "
      "bytes");
  EXPECT_EQ(
      copy(from.memory, to.memory, 1, {252, -256, 0}),
      "kernel copy, block (1,0,0), thread (30,0,0): reads 4 bytes at byte "
      "252 of operand 0 (252 bytes): out of bounds");
  EXPECT_EQ(copy(from.memory, to.memory, -1, {252, -256, 0}),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes at byte "
            "-4 of operand 0 (252 bytes): out of bounds");
  EXPECT_EQ(copy(from.memory, to.memory, 0, {256, -260, 0}),
            "kernel copy: operand 1: 260 bytes at byte 0 of an allocation of "
            "256 bytes");
}

TEST_F(MemoryFaults, misaligned) {
  EXPECT_EQ(copy(static_cast<char *>(from.memory) + 2, to.memory, 0),
            "kernel copy, block (0,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: misaligned: 2 bytes off a multiple of 4");
}

/// The first fault ends the launch, and nothing runs until somebody asks.
TEST_F(MemoryFaults, firstOneCounts) {
  launch("copy", {1, 1}, {values.data(), to.memory, nullptr});
  launch("copy", {2, 32}, {from.memory, to.memory, nullptr});
  EXPECT_NE(synchronize(), "");
  EXPECT_EQ(synchronize(), "");
  EXPECT_EQ(text(memopt_gpu_copy_out(values.data(), to.memory, 4)),
            "copy out: nobody wrote byte 0 of an allocation of 256 bytes");
}

//===----------------------------------------------------------------------===//
// Buffers of an arena
//===----------------------------------------------------------------------===//

/// Reading a buffer whose bytes another one has taken.
TEST_F(MemoryFaults, deadBuffer) {
  DeviceArray arena = allocate(512);
  auto *first = static_cast<char *>(arena.memory), *second = first + 128;
  EXPECT_EQ(copy(from.memory, first, 0, {256, -256, 0}), "");
  EXPECT_EQ(copy(from.memory, second, 0, {256, -256, 0}), "");
  EXPECT_EQ(copy(first, to.memory, 0, {256, -256, 0}),
            "kernel copy: operand 0 (256 bytes) is dead: kernel copy wrote it, "
            "and kernel copy its bytes from 128 to 256");
  EXPECT_EQ(copy(second, to.memory, 0, {256, -256, 0}), "");
}

TEST_F(MemoryFaults, unwrittenOutput) {
  DeviceArray longer = allocate(260);
  EXPECT_EQ(copy(from.memory, longer.memory, 0, {256, -260, 0}),
            "kernel copy: operand 1 (260 bytes): nobody wrote byte 256");
}

/// A buffer that several launches write in parts.
TEST_F(MemoryFaults, partialOutput) {
  DeviceArray whole = allocate(512);
  auto *first = static_cast<char *>(whole.memory);
  EXPECT_EQ(copy(from.memory, first, 0, {256, 512 + MEMOPT_GPU_PARTIAL, 0}),
            "");
  EXPECT_EQ(copy(from.memory, first + 256, 0, {256, -256, 0}), "");
  EXPECT_EQ(
      copy(first + 256, first + 256, 0, {256, 256 + MEMOPT_GPU_PARTIAL, 0}),
      "");
  EXPECT_EQ(copyOut<float>(whole)[127], 64);
}

/// An output may take the place of an input, and of nothing else.
TEST_F(MemoryFaults, overlap) {
  EXPECT_EQ(copy(from.memory, from.memory, 0, {256, -256, 0}), "");
  EXPECT_EQ(copyOut<float>(from), values);
  DeviceArray arena = copyIn(std::vector<float>(128));
  EXPECT_EQ(copy(arena.memory, static_cast<char *>(arena.memory) + 128, 0,
                 {256, -256, 0}),
            "kernel copy: operand 1 overlaps operand 0");
}

TEST_F(MemoryFaults, writesInput) {
  EXPECT_EQ(
      copy(from.memory, to.memory, 0, {256, 256, 0}),
      "kernel copy, block (0,0,0), thread (0,0,0): writes 4 bytes at byte "
      "0 of operand 1 (256 bytes): the launch says that the kernel only "
      "reads it");
}

TEST_F(MemoryFaults, touchedBytes) {
  DeviceArray arena = allocate(1024);
  EXPECT_EQ(memopt_gpu_touched_bytes(arena.memory), 0);
  EXPECT_EQ(copy(from.memory, static_cast<char *>(arena.memory) + 64, 0), "");
  EXPECT_EQ(memopt_gpu_touched_bytes(arena.memory), 320);
  EXPECT_EQ(text(memopt_gpu_poison(arena.memory, 1024, 0xFF)), "");
  EXPECT_EQ(memopt_gpu_touched_bytes(arena.memory), 0);
  EXPECT_EQ(memopt_gpu_touched_bytes(values.data()), -1);
}

TEST_F(MemoryFaults, outOfMemory) {
  setOption("memory-bytes", "1000");
  void *memory = nullptr;
  EXPECT_EQ(text(memopt_gpu_allocate(600, &memory)),
            "out of device memory: 600 bytes wanted, 488 free");
  EXPECT_EQ(memory, nullptr);
}

/// Without checks results are the same, and nobody looks.
TEST_F(MemoryFaults, withoutChecks) {
  setOption("checks", "off");
  EXPECT_EQ(copy(from.memory, to.memory, 0), "");
  EXPECT_EQ(copy(values.data(), to.memory, 0), "");
}

} // namespace
