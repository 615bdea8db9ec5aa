//===- Assertions.h - what code does where one fails -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_ASSERTIONS_H
#define MEMOPT_CODEGEN_ASSERTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace memopt {

/// Replaces every cf.assert of the module, in order, by a branch that is taken
/// where it does not hold. `report` writes the branch; `text` is the name of
/// the function around the assertion and its message.
void lowerAssertions(
    mlir::ModuleOp module,
    llvm::function_ref<void(mlir::OpBuilder &b, mlir::Location loc,
                            llvm::StringRef text)>
        report);

} // namespace memopt

#endif // MEMOPT_CODEGEN_ASSERTIONS_H
