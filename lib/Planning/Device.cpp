//===- Device.cpp - what a device can do a second -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Device.h"

#include <algorithm>
#include <cctype>
#include <limits>

using namespace memopt;

namespace {

constexpr int64_t giga = 1'000'000'000, tera = 1000 * giga, peta = 1000 * tera,
                  mebi = 1 << 20;

/// Index into Device::flopsPerSecond: 1, 2, 4, 8 bytes; others round up.
int sizeClass(int elementBytes) {
  return elementBytes <= 1   ? 0
         : elementBytes <= 2 ? 1
         : elementBytes <= 4 ? 2
                             : 3;
}

/// The device of a name, in capitals or not.
///
/// What large dense matrix products sustain: about 0.485 of the data sheets'
/// peaks (0.6 of 800 TFLOP/s in bf16 on the H200, the rest in proportion);
/// bandwidth as in the data sheets; an eighth of the last-level cache, where
/// what was made just before still is, at three times the bandwidth. float32 is
/// counted without TF32, which frameworks leave off unless asked.
const Device *findNamed(std::string_view name) {
  static const Device devices[] = {
      {"h200",
       {960 * tera, 480 * tera, 32 * tera, 32 * tera},
       4800 * giga,
       6 * mebi,
       14400 * giga},
      {"h100",
       {960 * tera, 480 * tera, 32 * tera, 32 * tera},
       3350 * giga,
       6 * mebi,
       10050 * giga},
      {"a100",
       {300 * tera, 150 * tera, 9500 * giga, 9500 * giga},
       2039 * giga,
       5 * mebi,
       6117 * giga},
      // A server socket of 32 cores with AVX-512 at 2.5 GHz and eight channels.
      {"cpu",
       {2500 * giga, 2500 * giga, 2500 * giga, 1250 * giga},
       300 * giga,
       4 * mebi,
       900 * giga},
      // Counts little but the FLOPs of matrix products: a picosecond for a
      // thousand of them, or for a million bytes moved.
      {"flops", {peta, peta, peta, peta}, 1000 * peta, 0, 0},
  };
  auto isSame = [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  };
  for (const Device &device : devices)
    if (std::equal(device.name.begin(), device.name.end(), name.begin(),
                   name.end(), isSame))
      return &device;
  return nullptr;
}

/// `123`, `67T`: a positive number below 2^62.
bool parseNumber(std::string_view text, int64_t &number) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t factor = 1;
  size_t suffix = text.empty() ? std::string_view::npos
                               : std::string_view("KMGTP").find(text.back());
  if (suffix != std::string_view::npos) {
    for (size_t i = 0; i <= suffix; ++i)
      factor *= 1000;
    text.remove_suffix(1);
  }
  number = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || number > (limit - 9) / 10)
      return false;
    number = number * 10 + (c - '0');
  }
  if (text.empty() || number == 0 || number > limit / factor)
    return false;
  number *= factor;
  return true;
}

/// Applies `key=number`; says what is wrong, or nothing.
std::string applySetting(std::string_view part, Device &device) {
  size_t equals = part.find('=');
  std::string quoted = "`" + std::string(part) + "`";
  int64_t number;
  if (equals == std::string_view::npos)
    return "unknown device " + quoted +
           ": expected h200, h100, a100, cpu, flops, or numbers as in "
           "`flops4=67T,flops2=989T,bandwidth=4800G`";
  if (!parseNumber(part.substr(equals + 1), number))
    return quoted + " is no positive number with a suffix K, M, G, T or P";
  std::string_view key = part.substr(0, equals);
  if (key == "bandwidth") {
    device.bytesPerSecond = number;
    return {};
  }
  if (key == "cache" || key == "cache-bandwidth") {
    (key == "cache" ? device.cacheBytes : device.cacheBytesPerSecond) = number;
    return {};
  }
  for (int size : {1, 2, 4, 8})
    if (key == "flops" + std::to_string(size)) {
      device.flopsPerSecond[sizeClass(size)] = number;
      return {};
    }
  return "unknown device setting " + quoted +
         ": expected flops1, flops2, flops4, flops8, bandwidth, cache or "
         "cache-bandwidth";
}

} // namespace

int64_t Device::flopsFor(int elementBytes) const {
  return flopsPerSecond[sizeClass(elementBytes)];
}

std::optional<int64_t> Device::rooflinePicoseconds(int64_t flops,
                                                   int elementBytes,
                                                   int64_t bytes) const {
  if (flops < 0 || bytes < 0)
    return std::nullopt;
  auto time = [](int64_t work, int64_t rate) {
    // 2^62 10^12 < 2^102
    return (static_cast<__int128>(work) * tera + rate - 1) / rate;
  };
  bool cached = bytes <= cacheBytes && cacheBytesPerSecond > 0;
  __int128 picoseconds =
      std::max(time(flops, flopsFor(elementBytes)),
               time(bytes, cached ? cacheBytesPerSecond : bytesPerSecond));
  if (picoseconds > static_cast<__int128>(1) << 62)
    return std::nullopt;
  return static_cast<int64_t>(picoseconds);
}

std::optional<Device> memopt::parseDevice(std::string_view text,
                                          std::string &error) {
  Device device;
  bool first = true;
  while (true) {
    size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    const Device *named = first ? findNamed(part) : nullptr;
    if (named)
      device = *named;
    else if (error = applySetting(part, device); !error.empty())
      return std::nullopt;
    first = false;
    if (comma == std::string_view::npos)
      break;
    text.remove_prefix(comma + 1);
  }
  if (device.name.empty())
    device.name = "custom";
  auto &flops = device.flopsPerSecond;
  for (int i = 2; i >= 0; --i)
    if (!flops[i])
      flops[i] = flops[i + 1];
  for (int i = 1; i < 4; ++i)
    if (!flops[i])
      flops[i] = flops[i - 1];
  if (!flops[0] || !device.bytesPerSecond) {
    error = "a device needs a bandwidth and at least one of flops1, flops2, "
            "flops4, flops8";
    return std::nullopt;
  }
  return device;
}
