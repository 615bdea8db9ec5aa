//===- FirstFit.h - each buffer in turn at its lowest offset ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_FIRSTFIT_H
#define MEMOPT_LIB_ARENA_FIRSTFIT_H

#include "Instance.h"

namespace memopt::arena {

/// Item numbers in the order in which first fit takes them, equal ones in
/// program order.
std::vector<int> sortForFirstFit(const Instance &instance, Order order);

/// Offsets in units; O(n^2) at worst.
std::vector<int64_t> placeFirstFit(const Instance &instance,
                                   const std::vector<int> &order);

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_FIRSTFIT_H
