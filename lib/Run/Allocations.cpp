//===- Allocations.cpp - memory that the process asks for -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Allocations.h"
#include <atomic>

using namespace memopt::run;

// Constant-initialised: libraries allocate before any constructor here runs.
static std::atomic<bool> counting{false}, inMain{false}, noted{false};
static std::atomic<int64_t> allocations{0}, allocated{0}, released{0},
    libraryAllocations{0}, libraryAllocated{0}, mappedEarly{0};
static std::atomic<int (*)()> libraryProbe{nullptr};

void memopt::run::countApart(int (*isInLibrary)()) {
  libraryProbe = isInLibrary;
}

void memopt::run::beginCounting() {
  allocations = allocated = released = 0;
  libraryAllocations = libraryAllocated = 0;
  counting = true;
}

AllocationCounts memopt::run::endCounting() {
  counting = false;
  return {allocations, allocated, released, libraryAllocations,
          libraryAllocated};
}

int64_t memopt::run::mappedBeforeMain() { return mappedEarly; }
void memopt::run::enterMain() { inMain = true; }
bool memopt::run::countsAllocations() { return noted; }

static bool isInLibrary() {
  int (*probe)() = libraryProbe.load(std::memory_order_relaxed);
  return probe && probe();
}

void memopt::run::noteAllocated(size_t bytes) {
  if (!noted.load(std::memory_order_relaxed))
    noted = true;
  if (!counting.load(std::memory_order_relaxed))
    return;
  bool isApart = isInLibrary();
  ++(isApart ? libraryAllocations : allocations);
  (isApart ? libraryAllocated : allocated) += int64_t(bytes);
}

void memopt::run::noteReleased(size_t bytes) {
  if (counting.load(std::memory_order_relaxed) && !isInLibrary())
    released += int64_t(bytes);
}

void memopt::run::noteMapped(size_t bytes) {
  if (!inMain.load(std::memory_order_relaxed))
    mappedEarly += int64_t(bytes);
  noteAllocated(bytes);
}
