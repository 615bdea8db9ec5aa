//===- Device.h - what a device can do a second -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roofline of a device: peak FLOPs by size of element, and bandwidth. Costs
// are integer picoseconds, rounded up.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_DEVICE_H
#define MEMOPT_PLANNING_DEVICE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memopt {

struct Device {
  std::string name;
  /// FLOPs a second of matrix products on elements of 1, 2, 4 and 8 bytes.
  std::array<int64_t, 4> flopsPerSecond{};
  /// Bytes a second between memory and the chip.
  int64_t bytesPerSecond = 0;
  /// What moves at most `cacheBytes` finds them in the last-level cache, which
  /// gives `cacheBytesPerSecond`; 0: no cache counts.
  int64_t cacheBytes = 0, cacheBytesPerSecond = 0;

  int64_t flopsFor(int elementBytes) const;

  /// max(flops / rate, bytes / bandwidth) in picoseconds, rounded up (the
  /// roofline of Williams, Waterman and Patterson, CACM 52(4), 2009). None
  /// where it passes 2^62 or a number is negative.
  std::optional<int64_t> rooflinePicoseconds(int64_t flops, int elementBytes,
                                             int64_t bytes) const;
};

/// A device from its name (h200, h100, a100, cpu; flops, on which nothing but
/// the FLOPs of matrix products counts) or from numbers:
///
///     flops4=67T,flops2=989T,bandwidth=4800G
///
/// with decimal suffixes K, M, G, T, P; `flopsN` is the peak for elements of N
/// bytes (N = 1, 2, 4, 8; at least one; a size that is not given takes the next
/// larger one's, or the largest given); `cache` in bytes and `cache-bandwidth`
/// are optional. A name may be followed by numbers that override its own:
/// `h100,bandwidth=2T`. None with a message where the text is not understood.
std::optional<Device> parseDevice(std::string_view text, std::string &error);

} // namespace memopt

#endif // MEMOPT_PLANNING_DEVICE_H
