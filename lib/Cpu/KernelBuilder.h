//===- KernelBuilder.h - where a kernel's code goes -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_KERNELBUILDER_H
#define MEMOPT_LIB_CPU_KERNELBUILDER_H

#include "MemOpt/Codegen/CodeModule.h"
#include "MemOpt/Codegen/StepFrame.h"
#include "MemOpt/Dialect/MemOpt.h"

namespace memopt {

/// One kernel on its way to code. `host` stands in @memopt_step where the
/// kernel runs; `buffers` are pointers there to the kernel's inputs, then its
/// outputs. An input that is a scalar lies in a slot of its own type (an index
/// as i64, an i1 as a byte), to which its pointer points.
class KernelBuilder {
public:
  KernelBuilder(CodeModule &code, KernelOp kernel, mlir::OpBuilder &host,
                StepFrame &frame, mlir::ValueRange buffers);

  CodeModule &getCode() { return code; }
  KernelOp getKernel() { return kernel; }
  mlir::Location getLoc() { return kernel.getLoc(); }
  /// Builds in @memopt_step, in front of what runs next.
  mlir::OpBuilder &getHost() { return host; }
  mlir::Value getBuffer(unsigned operand) const { return buffers[operand]; }
  mlir::ValueRange getBuffers() const { return buffers; }

  /// The kernel without its surroundings: equal for kernels that do the same on
  /// other buffers, whatever their names and places.
  llvm::StringRef getText() const { return text; }

  /// Writes the kernel's function, `void(ptr buffers, i64 begin, i64 end)`, by
  /// `body` unless a kernel of the same text has one; `part` tells functions of
  /// one kernel apart. `body` starts in the entry block and need not return.
  llvm::FailureOr<mlir::LLVM::LLVMFuncOp>
  outline(llvm::StringRef part, llvm::function_ref<llvm::LogicalResult(
                                    mlir::OpBuilder &, mlir::Value buffers,
                                    mlir::Value begin, mlir::Value end)>
                                    body);

  /// An array in the frame with the pointers to all buffers.
  mlir::Value makeBufferArray();

  /// Runs `function` on its units [0, count), in pieces of at least `grain`.
  void callParallel(mlir::LLVM::LLVMFuncOp function, int64_t count,
                    int64_t grain);

  /// `bytes` in the frame of @memopt_step for the time of this kernel, aligned
  /// to 64.
  mlir::Value takeFrame(int64_t bytes) {
    return frame.take(host, getLoc(), bytes);
  }

private:
  CodeModule &code;
  KernelOp kernel;
  mlir::OpBuilder &host;
  StepFrame &frame;
  llvm::SmallVector<mlir::Value> buffers;
  std::string text;
};

/// The pointers in an array of `count`, as a kernel's function takes them.
llvm::SmallVector<mlir::Value> loadPointers(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            mlir::Value buffers,
                                            unsigned count);

/// Units of a parallel range to do in one piece, so that a piece touches some
/// 64 KiB: less is not worth a thread.
int64_t getGrain(int64_t bytesPerUnit);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_KERNELBUILDER_H
