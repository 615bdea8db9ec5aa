//===- Bufferize.h - how kernels become ops on buffers ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_BUFFERS_BUFFERIZE_H
#define MEMOPT_BUFFERS_BUFFERIZE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

namespace memopt {

/// Lets one-shot bufferization see what memopt.kernel reads and writes, and
/// registers the models of the ops that stand between kernels.
void registerBufferization(mlir::DialectRegistry &registry);

/// What memopt-plan-memory leaves on the step's function: bytes of the arena,
/// the most aligned bytes that are alive at once, the alignment of each buffer,
/// where each result lies, and which arguments hold results.
inline constexpr llvm::StringLiteral arenaBytesAttrName = "memopt.arena_bytes";
inline constexpr llvm::StringLiteral arenaLowerBoundAttrName =
    "memopt.arena_lower_bound";
inline constexpr llvm::StringLiteral arenaAlignmentAttrName =
    "memopt.arena_alignment";
inline constexpr llvm::StringLiteral resultsAttrName = "memopt.results";
inline constexpr llvm::StringLiteral donatedAttrName = "memopt.donated";

} // namespace memopt

#endif // MEMOPT_BUFFERS_BUFFERIZE_H
