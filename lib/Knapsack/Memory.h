//===- Memory.h - Counted memory for the solvers ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every array of a solver is a Buffer, and every Buffer reports to a Meter, so
// that the peak is counted and a limit holds before memory is touched.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_MEMORY_H
#define MEMOPT_LIB_KNAPSACK_MEMORY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace memopt::knapsack {

/// Counts bytes, remembers the peak, and refuses what would pass the limit.
class Meter {
public:
  explicit Meter(size_t limit) : limit(limit) {}

  bool take(size_t bytes) {
    if (bytes > limit - std::min(limit, used))
      return false;
    used += bytes;
    peak = std::max(peak, used);
    return true;
  }
  void give(size_t bytes) { used -= bytes; }
  size_t peakBytes() const { return peak; }
  /// Bytes that may still be taken.
  size_t left() const { return limit - std::min(limit, used); }

private:
  size_t limit, used = 0, peak = 0;
};

/// A growable array of plain data. Growing returns false, and leaves the array
/// as it was, where the limit or the system refuses the memory.
template <class T> class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  explicit Buffer(Meter &meter) : meter(&meter) {}
  Buffer(Buffer &&other) noexcept : meter(other.meter) { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() { release(); }

  /// Makes room for `n` elements without changing the size.
  [[nodiscard]] bool reserve(size_t n) {
    if (n <= room)
      return true;
    if (n > SIZE_MAX / sizeof(T) || !meter->take(n * sizeof(T)))
      return false;
    T *fresh = static_cast<T *>(std::malloc(n * sizeof(T)));
    if (!fresh) {
      meter->give(n * sizeof(T));
      return false;
    }
    if (count)
      std::memcpy(static_cast<void *>(fresh), items, count * sizeof(T));
    std::free(items);
    meter->give(room * sizeof(T));
    items = fresh;
    room = n;
    return true;
  }

  /// Changes the size; new elements are not initialised.
  [[nodiscard]] bool resize(size_t n) {
    if (!reserve(n))
      return false;
    count = n;
    return true;
  }

  /// Changes the size and sets every element.
  [[nodiscard]] bool assign(size_t n, const T &value) {
    if (!resize(n))
      return false;
    std::fill(begin(), end(), value);
    return true;
  }

  [[nodiscard]] bool push(const T &value) {
    if (count == room && !reserve(count + count / 2 + 16))
      return false;
    items[count++] = value;
    return true;
  }

  /// Shortens the array; the memory stays.
  void truncate(size_t n) { count = n; }
  /// Appends where `reserve` has made room.
  void append(const T &value) { items[count++] = value; }
  void clear() { count = 0; }

  /// Gives the memory back.
  void release() {
    std::free(items);
    if (meter)
      meter->give(room * sizeof(T));
    items = nullptr;
    count = room = 0;
  }

  void swap(Buffer &other) noexcept {
    std::swap(meter, other.meter);
    std::swap(items, other.items);
    std::swap(count, other.count);
    std::swap(room, other.room);
  }

  T *data() { return items; }
  const T *data() const { return items; }
  size_t size() const { return count; }
  size_t capacity() const { return room; }
  bool empty() const { return count == 0; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }
  const T &back() const { return items[count - 1]; }

private:
  Meter *meter;
  T *items = nullptr;
  size_t count = 0, room = 0;
};

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_MEMORY_H
