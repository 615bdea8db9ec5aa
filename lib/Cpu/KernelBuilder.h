//===- KernelBuilder.h - where a kernel's code goes -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_KERNELBUILDER_H
#define MEMOPT_LIB_CPU_KERNELBUILDER_H

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace memopt {

/// The module that is being written: kernel functions by their text, runtime
/// functions, constants.
class CodeModule {
public:
  explicit CodeModule(mlir::ModuleOp module) : module(module) {}

  mlir::ModuleOp getModule() { return module; }
  /// The function that has been written for `text`, or null.
  mlir::LLVM::LLVMFuncOp lookup(llvm::StringRef text) const;
  /// A new private function for `text` under a name that starts with `stem`,
  /// with an entry block.
  mlir::LLVM::LLVMFuncOp create(mlir::Location loc, llvm::StringRef text,
                                llvm::StringRef stem,
                                mlir::LLVM::LLVMFunctionType type);
  /// Takes back a function that has been written for `text`.
  void erase(llvm::StringRef text);
  /// The declaration of a function of the runtime library.
  mlir::LLVM::LLVMFuncOp declare(mlir::Location loc, llvm::StringRef name,
                                 mlir::LLVM::LLVMFunctionType type);
  /// A private constant with these bytes, aligned to 64; one for equal bytes.
  mlir::LLVM::GlobalOp getConstant(mlir::Location loc, llvm::StringRef bytes);
  /// A private constant array of these numbers, named after them: what a
  /// function of the runtime library is told about its work.
  mlir::LLVM::GlobalOp getNumbers(mlir::Location loc, llvm::StringRef stem,
                                  llvm::ArrayRef<int64_t> numbers);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> constants;
};

/// Bytes in the frame of @memopt_step, taken by one kernel after the other:
/// what a kernel takes is free again once it has run.
class StepFrame {
public:
  /// Starts a frame at the front of `entry`.
  StepFrame(mlir::Location loc, mlir::Block *entry);

  /// `bytes` aligned to 64, as a pointer made by `b`.
  mlir::Value take(mlir::OpBuilder &b, mlir::Location loc, int64_t bytes);
  /// Frees what has been taken.
  void reset() { used = 0; }

private:
  mlir::LLVM::ConstantOp size;
  mlir::Value base;
  int64_t used = 0, peak = 0;
};

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

/// Units of a parallel range to do in one piece, so that a piece touches some
/// 64 KiB: less is not worth a thread.
int64_t getGrain(int64_t bytesPerUnit);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_KERNELBUILDER_H
