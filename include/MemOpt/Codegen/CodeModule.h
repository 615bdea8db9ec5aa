//===- CodeModule.h - the module that is written ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_CODEMODULE_H
#define MEMOPT_CODEGEN_CODEMODULE_H

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace memopt {

/// The module that is being written: kernel functions by their text, runtime
/// functions, constants.
class CodeModule {
public:
  /// Constants lie in an address space of LLVM.
  explicit CodeModule(mlir::ModuleOp module, unsigned addressSpace = 0)
      : module(module), addressSpace(addressSpace) {}

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
  unsigned addressSpace;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> constants;
};

/// The kernel without its surroundings: equal for kernels that do the same on
/// other buffers, whatever their names and places.
std::string getKernelText(KernelOp kernel);

} // namespace memopt

#endif // MEMOPT_CODEGEN_CODEMODULE_H
