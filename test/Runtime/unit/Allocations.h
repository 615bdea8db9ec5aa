//===- Allocations.h - counts what is allocated -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUNTIME_ALLOCATIONS_H
#define MEMOPT_TEST_RUNTIME_ALLOCATIONS_H

#include <cstdint>

namespace memopt::test {

/// Counts the bytes that malloc and its relatives hand out on any thread, those
/// within a library that says so apart.
void startCounting();
/// The bytes since then; 0 under a sanitizer, which has an allocator of its
/// own.
int64_t stopCounting();

} // namespace memopt::test

#endif // MEMOPT_TEST_RUNTIME_ALLOCATIONS_H
