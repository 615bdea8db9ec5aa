//===- Memory.h - elements in memory ----------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_MEMORY_H
#define MEMOPT_CODEGEN_MEMORY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace memopt {

/// The type in which an element of type `type` lies in memory: i1 as a byte, an
/// index as i64, other numbers as themselves.
mlir::Type getMemoryType(mlir::Type type);

/// Bytes of an element in memory.
int64_t getElementBytes(mlir::Type type);

/// The address of element `offset` (an i64) of a buffer.
mlir::Value getElementAddress(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value buffer, mlir::Type element,
                              mlir::Value offset);

/// Values as they lie in memory, and back; for numbers and vectors of them.
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type type);

/// Loads and stores of a number or a vector of neighbours.
/// `alignment` is in bytes; 0 is that of an element.
mlir::Value loadElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                        mlir::Value address, int64_t alignment = 0);
void storeElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  mlir::Value address, int64_t alignment = 0);

} // namespace memopt

#endif // MEMOPT_CODEGEN_MEMORY_H
