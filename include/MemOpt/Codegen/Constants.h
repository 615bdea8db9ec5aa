//===- Constants.h - the bytes of a constant tensor -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_CONSTANTS_H
#define MEMOPT_CODEGEN_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace memopt {

/// The elements as they lie in memory, row-major (a splat's too, each one); i1
/// a byte an element. Fails where an element is no number.
llvm::FailureOr<std::string> getBytes(mlir::DenseElementsAttr elements);

/// One number as it lies in memory.
llvm::FailureOr<std::string> getBytes(mlir::Attribute number);

} // namespace memopt

#endif // MEMOPT_CODEGEN_CONSTANTS_H
