//===- Measure.cpp - the bytes that a step uses ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Measure.h"
#include "DeviceExecution.h"
#include "MemOpt/Run/Allocations.h"
#include "ProcFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <fstream>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

int64_t Measurement::peakBytes() const {
  int64_t blocks = llvm::alignTo(touchedBytes, alignment);
  // An arena need not end with a whole block.
  return std::min(blocks, std::max(plannedBytes, touchedBytes)) +
         allocatedBytes;
}

static std::optional<int64_t> readStatus(llvm::StringRef field) {
  std::optional<int64_t> kibibytes = readProcField("/proc/self/status", field);
  if (kibibytes)
    *kibibytes *= 1024;
  return kibibytes;
}

/// Makes the highest resident size the present one (proc(5), clear_refs).
static bool resetResidentPeak() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5" << std::flush;
  return bool(out);
}

static std::vector<llvm::XXH128_hash_t>
hashResults(const Execution &execution) {
  std::vector<llvm::XXH128_hash_t> hashes;
  for (size_t i = 0, e = execution.interface().results.size(); i < e; ++i) {
    ArrayView result = execution.result(i);
    auto *bytes = reinterpret_cast<const uint8_t *>(result.data);
    hashes.push_back(
        llvm::xxh3_128bits({bytes, size_t(*checkedByteSize(result.type))}));
  }
  return hashes;
}

/// Runs the step on an arena that holds `pattern` everywhere. Both measured
/// runs do the same, so the larger counts are kept.
static Error runCounted(Execution &execution, Measurement &measurement,
                        uint8_t pattern) {
  beginCounting();
  Error error = execution.run();
  AllocationCounts counts = endCounting();
  if (error)
    return error;
  measurement.allocations =
      std::max(measurement.allocations, counts.allocations);
  measurement.allocatedBytes =
      std::max(measurement.allocatedBytes, counts.allocatedBytes);
  measurement.libraryAllocations =
      std::max(measurement.libraryAllocations, counts.libraryAllocations);
  measurement.libraryCallBytes =
      std::max(measurement.libraryCallBytes, counts.libraryBytes);
  measurement.touchedBytes = std::max(
      measurement.touchedBytes, execution.arena().endOfOtherThan(pattern));
  return Error::success();
}

/// Runs the step on an arena of which no page is resident.
static Error runOnFreshPages(Execution &execution, Measurement &measurement) {
  execution.arena().release();
  bool isReset = resetResidentPeak();
  std::optional<int64_t> before = readStatus("VmRSS:");
  if (Error error = runCounted(execution, measurement, 0x00))
    return error;
  std::optional<int64_t> peak = readStatus("VmHWM:");
  if (isReset && before && peak)
    measurement.residentBytes = *peak - *before;
  return Error::success();
}

/// A run in an arena full of one value.
static Error runOnDevice(Execution &execution, Measurement &measurement,
                         uint8_t pattern) {
  DeviceExecution &device = *execution.onDevice();
  if (Error error = device.fillArena(pattern))
    return error;
  if (Error error = execution.run())
    return error;
  Expected<int64_t> touched = device.touchedBytes(pattern);
  if (!touched)
    return touched.takeError();
  measurement.touchedBytes = std::max(measurement.touchedBytes, *touched);
  measurement.onDevice = device.countsInStep();
  measurement.allocations =
      std::max(measurement.allocations, device.countsInStep().allocations);
  return Error::success();
}

/// A run on an arena of zeros or of 0xFF.
static Error runOn(Execution &execution, Measurement &measurement,
                   uint8_t pattern) {
  if (execution.onDevice())
    return runOnDevice(execution, measurement, pattern);
  if (!pattern)
    return runOnFreshPages(execution, measurement);
  execution.arena().fill(pattern);
  return runCounted(execution, measurement, pattern);
}

/// The first run, after which libraries have what they keep.
static Error runToWarmUp(Execution &execution, Measurement &measurement,
                         llvm::function_ref<void()> warmUp) {
  if (DeviceExecution *remote = execution.onDevice()) {
    // Before anybody looks at times: a fault names its kernel.
    if (Error error = remote->device().setOption("locate-faults", "on"))
      return error;
    if (Error error = execution.run())
      return error;
    return remote->device().setOption("locate-faults", "off");
  }
  beginCounting();
  warmUp();
  Error error = execution.run();
  AllocationCounts kept = endCounting();
  measurement.libraryBytes =
      mappedBeforeMain() +
      std::max<int64_t>(0, kept.allocatedBytes - kept.releasedBytes);
  return error;
}

Expected<Measurement> memopt::run::measure(Execution &execution,
                                           llvm::function_ref<void()> warmUp) {
  Measurement measurement;
  measurement.plannedBytes = execution.interface().arenaBytes;
  measurement.alignment = execution.interface().arenaAlignment;
  Expected<SavedInputs> donated =
      SavedInputs::save(execution, donatedArguments(execution.interface()));
  if (!donated)
    return donated.takeError();

  if (Error error = runToWarmUp(execution, measurement, warmUp))
    return error;
  donated->restore(execution);
  if (Error error = runOn(execution, measurement, 0x00))
    return error;
  std::vector<llvm::XXH128_hash_t> first = hashResults(execution);
  donated->restore(execution);
  if (Error error = runOn(execution, measurement, 0xFF))
    return error;
  measurement.repeatable = first == hashResults(execution);
  donated->restore(execution);
  return measurement;
}
