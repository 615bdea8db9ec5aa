//===- EmulatedDevice.cpp - kernels of a test on the emulator -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

const char *const kDeclarations = R"(
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
)";

void EmulatedDevice::compile(const std::string &functions) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(kDeclarations + functions, diagnostic, context);
  if (!module) {
    std::string why;
    llvm::raw_string_ostream stream(why);
    diagnostic.print("kernel", stream);
    FAIL() << why;
  }
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  useImage(std::move(bitcode));
}

DeviceArray EmulatedDevice::allocate(int64_t bytes) {
  DeviceArray array;
  array.bytes = bytes;
  EXPECT_EQ(text(memopt_gpu_allocate(bytes, &array.memory)), "");
  return array;
}

void EmulatedDevice::launch(const char *kernel, std::vector<int64_t> geometry,
                            std::vector<void *> pointers,
                            std::vector<int64_t> buffers) {
  // grid x, block x, dynamic shared bytes are what a test says.
  int64_t all[MEMOPT_GPU_GEOMETRY] = {geometry[0], 1, 1, geometry[1], 1, 1, 0};
  if (geometry.size() == 3)
    all[6] = geometry[2];
  if (geometry.size() == MEMOPT_GPU_GEOMETRY)
    std::copy(geometry.begin(), geometry.end(), all);
  std::vector<void *> parameters;
  for (void *&pointer : pointers)
    parameters.push_back(&pointer);
  memopt_gpu_launch(images.back().data(), int64_t(images.back().size()), kernel,
                    all, parameters.data(),
                    buffers.empty() ? nullptr : buffers.data(),
                    int64_t(parameters.size()));
}
