//===- Allocations.h - memory that the process asks for ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Counts of every malloc and mmap of the process, its libraries included. The
// program defines malloc, mmap and their like, forwards them to the C library
// and calls `noteAllocated` and `noteReleased`; where it does not (a sanitizer
// has its own), all counts are zero and `countsAllocations` says so.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_ALLOCATIONS_H
#define MEMOPT_RUN_ALLOCATIONS_H

#include <cstddef>
#include <cstdint>

namespace memopt::run {

/// Sums since `beginCounting`, in bytes as the allocator gives them.
struct AllocationCounts {
  int64_t allocations = 0;
  int64_t allocatedBytes = 0;
  int64_t releasedBytes = 0;
  /// Those made on a thread that was within a library's own call, which are in
  /// none of the sums above.
  int64_t libraryAllocations = 0, libraryBytes = 0;
};

/// `isInLibrary` says whether the calling thread is within a call of a library
/// whose allocations are counted apart; null: none is.
void countApart(int (*isInLibrary)());

/// Starts counting, in all threads. Counts do not nest.
void beginCounting();
AllocationCounts endCounting();

/// Bytes that libraries mapped as they were loaded, before main.
int64_t mappedBeforeMain();
/// Called once, first thing in main.
void enterMain();
/// True where the program calls what follows.
bool countsAllocations();

// For the program's own malloc and mmap; async-signal-safe, allocate nothing.
void noteAllocated(size_t bytes);
void noteReleased(size_t bytes);
/// Also one that `mappedBeforeMain` counts.
void noteMapped(size_t bytes);

} // namespace memopt::run

#endif // MEMOPT_RUN_ALLOCATIONS_H
