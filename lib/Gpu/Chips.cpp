//===- Chips.cpp - what is known of a chip --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"

using namespace memopt;

static constexpr int64_t mebi = int64_t(1) << 20;

// sm_80: A100, 108 multiprocessors; sm_90: H100 and H200, 132; sm_100: B200,
// 148. LLVM ends the process at an older PTX version than its chip's first.
static const GpuChip chips[] = {
    {"sm_80", "+ptx70", 108, 4 * mebi, 4 * mebi},
    {"sm_90", "+ptx78", 132, 32 * mebi, 4 * mebi},
    {"sm_100", "+ptx86", 148, 32 * mebi, 4 * mebi},
};

llvm::ArrayRef<GpuChip> memopt::getChips() { return chips; }

const GpuChip *memopt::findChip(llvm::StringRef name) {
  for (const GpuChip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}
