//===- BlockOrderTest.cpp - blocks that hand work to each other -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"

namespace {

constexpr const char *kFence = "fence syncscope(\"device\") acq_rel";
constexpr const char *kUpdate = "%old = atomicrmw uinc_wrap ptr addrspace(1) "
                                "%counter, i32 3 syncscope(\"device\") "
                                "monotonic";
constexpr const char *kNothing = "";

class BlockOrder : public EmulatedDevice {
protected:
  /// Four blocks of one thread: each stores its number plus one, and the one
  /// that updates the counter last adds the four numbers up.
  void compileLast(const std::string &release, const std::string &update,
                   const std::string &acquire) {
    compile(R"(
define ptx_kernel void @last(ptr addrspace(1) %parts, ptr addrspace(1) %counter,
                             ptr addrspace(1) %sum) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %part = getelementptr i32, ptr addrspace(1) %parts, i32 %block
  %value = add i32 %block, 1
  store i32 %value, ptr addrspace(1) %part
  )" + release +
            "\n" + update + "\n" + acquire + R"(
  %isLast = icmp eq i32 %old, 3
  br i1 %isLast, label %add, label %end
add:
  %all = load <4 x i32>, ptr addrspace(1) %parts
  %total = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %all)
  store i32 %total, ptr addrspace(1) %sum
  br label %end
end:
  ret void
}
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.cta()
)");
    parts = copyIn(std::vector<int32_t>(4, 0));
    counter = copyIn(std::vector<int32_t>(1, 0));
    sum = copyIn(std::vector<int32_t>(1, 0));
  }

  std::string runLast() {
    return launchAndWait("last", {4, 1},
                         {parts.memory, counter.memory, sum.memory});
  }

  /// The fault of either order of blocks.
  void expectRace(const std::string &what) {
    for (const char *order : {"forward", "reverse"}) {
      setOption("thread-order", order);
      std::string fault = runLast();
      EXPECT_NE(fault.find(what), std::string::npos) << order << ": " << fault;
      EXPECT_NE(fault.find("nothing orders the two"), std::string::npos)
          << order << ": " << fault;
      counter = copyIn(std::vector<int32_t>(1, 0));
    }
  }

  DeviceArray parts, counter, sum;
};

/// Fences of LLVM's and of NVVM's, of device scope and wider; the counter ends
/// where it began, for the next launch.
TEST_F(BlockOrder, lastBlockReadsAll) {
  for (const char *fence :
       {kFence, "fence acq_rel", "call void @llvm.nvvm.membar.gl()"}) {
    compileLast(fence, kUpdate, fence);
    for (const char *order : {"forward", "reverse", "forward"}) {
      setOption("thread-order", order);
      EXPECT_EQ(runLast(), "") << fence << ", " << order;
      EXPECT_EQ(copyOut<int32_t>(sum), std::vector<int32_t>{10});
      EXPECT_EQ(copyOut<int32_t>(counter), std::vector<int32_t>{0});
    }
  }
}

TEST_F(BlockOrder, noReleasingFence) {
  compileLast(kNothing, kUpdate, kFence);
  expectRace("reads 16 bytes through operand 0");
}

TEST_F(BlockOrder, noAcquiringFence) {
  compileLast(kFence, kUpdate, kNothing);
  expectRace("reads 16 bytes through operand 0");
}

/// Each fence does one of the two only.
TEST_F(BlockOrder, fencesTheWrongWay) {
  compileLast("fence syncscope(\"device\") acquire", kUpdate,
              "fence syncscope(\"device\") release");
  expectRace("reads 16 bytes through operand 0");
}

TEST_F(BlockOrder, fenceOfTheBlock) {
  compileLast("fence syncscope(\"block\") acq_rel", kUpdate, kFence);
  expectRace("reads 16 bytes through operand 0");
  compileLast("call void @llvm.nvvm.membar.cta()", kUpdate, kFence);
  expectRace("reads 16 bytes through operand 0");
}

/// What LLVM's backend makes of it is a relaxed update.
TEST_F(BlockOrder, updateWithoutFences) {
  compileLast(kNothing,
              "%old = atomicrmw add ptr addrspace(1) %counter, i32 1 "
              "syncscope(\"device\") acq_rel",
              kNothing);
  expectRace("reads 16 bytes through operand 0");
}

TEST_F(BlockOrder, noAtomic) {
  compileLast(kFence,
              "%old = load i32, ptr addrspace(1) %counter\n"
              "%next = add i32 %old, 1\n"
              "store i32 %next, ptr addrspace(1) %counter",
              kFence);
  expectRace("reads 4 bytes through operand 1");
}

TEST_F(BlockOrder, atomicOfTheBlock) {
  compileLast(kFence,
              "%old = atomicrmw add ptr addrspace(1) %counter, i32 1 "
              "syncscope(\"block\") monotonic",
              kFence);
  expectRace("updates 4 bytes through operand 1");
}

/// An exchange has its order in PTX.
TEST_F(BlockOrder, exchange) {
  compileLast(
      kNothing,
      "%now = load atomic i32, ptr addrspace(1) %counter syncscope(\"device\") "
      "monotonic, align 4\n"
      "%next = add i32 %now, 1\n"
      "%both = cmpxchg ptr addrspace(1) %counter, i32 %now, i32 %next "
      "syncscope(\"device\") acq_rel monotonic\n"
      "%old = extractvalue {i32, i1} %both, 0",
      kNothing);
  EXPECT_EQ(runLast(), "");
  EXPECT_EQ(copyOut<int32_t>(sum), std::vector<int32_t>{10});
}

/// Block 0 writes %data[0] and says so in %flags[0]; block i waits for none,
/// but where flag i - 1 is set it sets flag i, and the last one reads the data.
constexpr const char *kChain = R"(
define ptx_kernel void @chain(ptr addrspace(1) %data, ptr addrspace(1) %flags) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %isFirst = icmp eq i32 %block, 0
  %before = sub i32 %block, 1
  %own = getelementptr i32, ptr addrspace(1) %flags, i32 %block
  br i1 %isFirst, label %write, label %wait
write:
  store i32 1, ptr addrspace(1) %data
  store atomic i32 1, ptr addrspace(1) %own syncscope("device") ORDER, align 4
  ret void
wait:
  %other = getelementptr i32, ptr addrspace(1) %flags, i32 %before
  %flag = load atomic i32, ptr addrspace(1) %other syncscope("device") acquire, align 4
  store atomic i32 %flag, ptr addrspace(1) %own syncscope("device") release, align 4
  %isLast = icmp eq i32 %block, 2
  %isSet = icmp eq i32 %flag, 1
  %reads = and i1 %isLast, %isSet
  br i1 %reads, label %read, label %end
read:
  %x = load i32, ptr addrspace(1) %data
  br label %end
end:
  ret void
}
)";

TEST_F(BlockOrder, fromBlockToBlockToBlock) {
  std::string chain = kChain;
  for (const char *order : {"release", "monotonic"}) {
    std::string code = chain;
    code.replace(code.find("ORDER"), 5, order);
    compile(code);
    DeviceArray data = copyIn(std::vector<int32_t>(1, 0));
    DeviceArray flags = copyIn(std::vector<int32_t>(3, 0));
    std::string fault =
        launchAndWait("chain", {3, 1}, {data.memory, flags.memory});
    if (std::string(order) == "release")
      EXPECT_EQ(fault, "");
    else
      EXPECT_NE(fault.find("reads 4 bytes through operand 0"),
                std::string::npos)
          << fault;
  }
}

/// Thread 32 of a block writes, thread 0 updates the counter: a barrier stands
/// between them, or not.
constexpr const char *kWarps = R"(
define ptx_kernel void @warps(ptr addrspace(1) %parts, ptr addrspace(1) %counter) {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %part = getelementptr i32, ptr addrspace(1) %parts, i32 %block
  %isWriter = icmp eq i32 %thread, 32
  br i1 %isWriter, label %write, label %first
write:
  store i32 %block, ptr addrspace(1) %part
  br label %first
first:
  BARRIER
  %isFirst = icmp eq i32 %thread, 0
  br i1 %isFirst, label %count, label %join
count:
  fence syncscope("device") acq_rel
  %old = atomicrmw uinc_wrap ptr addrspace(1) %counter, i32 1 syncscope("device") monotonic
  fence syncscope("device") acq_rel
  %last = icmp eq i32 %old, 1
  br label %join
join:
  %isLast = phi i1 [ false, %first ], [ %last, %count ]
  %any = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %isLast)
  %reads = and i1 %any, %isWriter
  br i1 %reads, label %read, label %end
read:
  %both = load <2 x i32>, ptr addrspace(1) %parts
  br label %end
end:
  ret void
}
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
)";

TEST_F(BlockOrder, barrierWithinTheBlock) {
  for (bool isThere : {true, false}) {
    std::string code = kWarps;
    code.replace(
        code.find("BARRIER"), 7,
        isThere ? "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"
                : "");
    compile(code);
    parts = copyIn(std::vector<int32_t>(2, 0));
    counter = copyIn(std::vector<int32_t>(1, 0));
    std::string fault =
        launchAndWait("warps", {2, 64}, {parts.memory, counter.memory});
    if (isThere)
      EXPECT_EQ(fault, "");
    else
      EXPECT_NE(fault.find("block (0,0,0) wrote it in the same launch"),
                std::string::npos)
          << fault;
  }
}

/// All blocks add to a word, and each reads it without an atomic access.
TEST_F(BlockOrder, plainReadOfAnAtomic) {
  compile(R"(
define ptx_kernel void @peek(ptr addrspace(1) %counter) {
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 syncscope("device") monotonic
  ret void
}
define ptx_kernel void @read(ptr addrspace(1) %counter) {
  %x = load i32, ptr addrspace(1) %counter
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 syncscope("device") monotonic
  ret void
}
)");
  counter = copyIn(std::vector<int32_t>(1, 0));
  EXPECT_EQ(launchAndWait("peek", {4, 1}, {counter.memory}), "");
  EXPECT_EQ(launchAndWait("read", {4, 1}, {counter.memory}),
            "kernel read, block (1,0,0), thread (0,0,0): reads 4 bytes through "
            "operand 0: block (0,0,0) wrote it in the same launch, and nothing "
            "orders the two");
}

/// A global of the image is memory as any other.
TEST_F(BlockOrder, globals) {
  compile(R"(
@total = addrspace(1) global i32 0
define ptx_kernel void @store() {
  store i32 1, ptr addrspace(1) @total
  ret void
}
)");
  std::string fault = launchAndWait("store", {2, 1}, {});
  EXPECT_NE(fault.find("block (0,0,0) wrote it in the same launch"),
            std::string::npos)
      << fault;
}

} // namespace
