//===- Budget.h - sizes and shares as people write them ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_REMATERIALIZE_BUDGET_H
#define MEMOPT_REMATERIALIZE_BUDGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace memopt {

/// Bytes from a number with a unit: B, kB, KB, MB, GB, TB (powers of 1000),
/// KiB, MiB, GiB, TiB (powers of 1024); no unit is bytes. Up to 9 decimals,
/// exact, rounded down: `1.5GiB` is 1610612736. Nothing where the text is no
/// such size or passes 2^63 - 1.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// A share in units of 10^-9, from a decimal number with a point or from
/// percent: `0.25` and `25%` are 250,000,000. Nothing where the text is
/// neither.
std::optional<int64_t> parseShare(llvm::StringRef text);

/// `share` of `whole`, rounded down, at most 2^63 - 1.
int64_t takeShare(int64_t whole, int64_t share);

} // namespace memopt

#endif // MEMOPT_REMATERIALIZE_BUDGET_H
