//===- MemOpt.h - the memopt dialect ----------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_DIALECT_MEMOPT_H
#define MEMOPT_DIALECT_MEMOPT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "MemOpt/Dialect/MemOptDialect.h.inc"
#include "MemOpt/Dialect/MemOptEnums.h.inc"

#define GET_OP_CLASSES
#include "MemOpt/Dialect/MemOptOps.h.inc"

namespace memopt {

/// The type in which an op on elements of type `element` computes: f64 for f64,
/// f32 for f32, f16 and bf16.
mlir::Type getComputeType(mlir::Type element);

/// The type of the packed codes of `bits` (1..4) bits for a tensor of type `x`:
/// `... x (d bits / 8) x i8` where 8 divides d bits, d the last dimension, and
/// flat, `ceil(n bits / 8) x i8`, otherwise. Null where the shape does not
/// determine it (a dynamic dimension in the flat form, or n bits overflows).
mlir::RankedTensorType getCodeType(mlir::RankedTensorType x, unsigned bits);

/// The statistics of `x` (one value a row): its shape without the trailing
/// `normalizedRank` dimensions, in the compute type.
mlir::RankedTensorType getStatisticsType(mlir::RankedTensorType x,
                                         int64_t normalizedRank);

} // namespace memopt

#endif // MEMOPT_DIALECT_MEMOPT_H
