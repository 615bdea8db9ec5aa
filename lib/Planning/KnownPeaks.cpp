//===- KnownPeaks.cpp - simulations that need not run again ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownPeaks.h"

using namespace memopt;

namespace {

constexpr size_t mostBytes = size_t(32) << 20;

size_t sizeOf(const std::string &key, const KnownPeak &known) {
  return sizeof(KnownPeak) + key.size() +
         known.peak.bytes.size() * sizeof(int64_t);
}

} // namespace

const KnownPeak *KnownPeaks::find(const std::string &key) const {
  auto entry = entries.find(key);
  return entry == entries.end() ? nullptr : &entry->second;
}

const KnownPeak *KnownPeaks::add(const std::string &key, KnownPeak known) {
  auto [entry, isNew] = entries.emplace(key, std::move(known));
  if (!isNew)
    return &entry->second;
  oldest.push_back(&entry->first);
  bytes += sizeOf(entry->first, entry->second);
  while (bytes > mostBytes && oldest.size() > 1) {
    auto first = entries.find(*oldest.front());
    bytes -= sizeOf(first->first, first->second);
    oldest.pop_front();
    entries.erase(first);
  }
  return &entry->second;
}
