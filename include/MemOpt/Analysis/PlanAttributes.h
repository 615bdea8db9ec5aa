//===- PlanAttributes.h - what a plan leaves on its step --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_PLANATTRIBUTES_H
#define MEMOPT_ANALYSIS_PLANATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace memopt {

/// What a rematerialized step promises: a dictionary on its function with the
/// budget (`peak_budget_bytes` or `saved_budget_bytes`), what was planned
/// (`peak_bytes`, `saved_bytes`, `recomputed`, `recompute_picoseconds`,
/// `lower_bound_picoseconds`, `device`) and the step as it was before
/// (`peak_bytes_before`, `saved_bytes_before`, `step_picoseconds`).
inline constexpr llvm::StringLiteral planAttrName = "memopt.plan";

/// What the step kept before any rewrite, in bytes; on its function.
inline constexpr llvm::StringLiteral capturedBytesAttrName =
    "memopt.captured_saved_bytes";

/// What the plan's simulation says of a step whose kernels are formed: a
/// dictionary on its function with `peak_bytes` and `saved_bytes`.
inline constexpr llvm::StringLiteral kernelsAttrName = "memopt.kernels";

/// On a gradient: why the rewrites are to leave it alone, a string.
inline constexpr llvm::StringLiteral leftAloneAttrName = "memopt.left_alone";

/// What memopt-report tells of the step as it was before: a dictionary on its
/// function, written and read by MemOpt/Picture/Notes.h and memopt-remember.
inline constexpr llvm::StringLiteral reportNotesAttrName = "memopt.report";

} // namespace memopt

#endif // MEMOPT_ANALYSIS_PLANATTRIBUTES_H
