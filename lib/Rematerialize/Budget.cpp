//===- Budget.cpp - sizes and shares as people write them -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Rematerialize/Budget.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace memopt;

static constexpr int64_t billion = 1'000'000'000;

/// `12`, `1.5`: in units of 10^-9; nothing for anything else.
static std::optional<__int128> parseDecimal(llvm::StringRef text) {
  auto [whole, fraction] = text.split('.');
  bool hasPoint = text.contains('.');
  if (whole.empty() || whole.size() > 19 || fraction.size() > 9 ||
      (hasPoint && fraction.empty()) || !llvm::all_of(whole, llvm::isDigit) ||
      !llvm::all_of(fraction, llvm::isDigit))
    return std::nullopt;
  __int128 value = 0;
  for (char digit : whole)
    value = value * 10 + (digit - '0');
  for (size_t i = 0; i < 9; ++i)
    value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return value;
}

std::optional<int64_t> memopt::parseBytes(llvm::StringRef text) {
  static constexpr struct {
    const char *name;
    int64_t bytes;
  } units[] = {{"KiB", int64_t(1) << 10},
               {"MiB", int64_t(1) << 20},
               {"GiB", int64_t(1) << 30},
               {"TiB", int64_t(1) << 40},
               {"kB", 1000},
               {"KB", 1000},
               {"MB", 1000'000},
               {"GB", billion},
               {"TB", 1000 * billion},
               {"B", 1}};
  int64_t unit = 1;
  for (const auto &entry : units)
    if (text.consume_back(entry.name)) {
      unit = entry.bytes;
      break;
    }
  std::optional<__int128> value = parseDecimal(text.rtrim());
  // A part of a byte is a mistake: a share, perhaps.
  if (!value || (unit == 1 && text.contains('.')))
    return std::nullopt;
  // The product stays below 10^28 * 2^40 < 2^127 and 10^9 divides it out.
  __int128 bytes = *value / billion * unit + *value % billion * unit / billion;
  if (bytes > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(bytes);
}

std::optional<int64_t> memopt::parseShare(llvm::StringRef text) {
  bool percent = text.consume_back("%");
  if (!percent && !text.contains('.'))
    return std::nullopt;
  std::optional<__int128> value = parseDecimal(text);
  if (!value)
    return std::nullopt;
  __int128 share = percent ? *value / 100 : *value;
  if (share > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(share);
}

int64_t memopt::takeShare(int64_t whole, int64_t share) {
  __int128 product = static_cast<__int128>(whole) * share / billion;
  return static_cast<int64_t>(
      std::min<__int128>(product, std::numeric_limits<int64_t>::max()));
}
