//===- Products.cpp - matrix products in a fixed order --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "DeviceMemory.h"
#include "Elements.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace memopt::emulator;
using memopt::gpu::getElementBytes;
using memopt::gpu::Product;
using memopt::gpu::ProductOperand;

namespace {

/// A rows x columns matrix at a device address.
struct Matrix {
  uint64_t address;
  int64_t type, rows, columns, rowStride, columnStride;

  int64_t elementBytes() const { return getElementBytes(type); }
  uint64_t at(int64_t row, int64_t column) const {
    return address +
           uint64_t(row * rowStride + column * columnStride) * elementBytes();
  }
  /// Calls visit(address, bytes) for each run of consecutive elements; a text
  /// that it returns ends it.
  template <typename Visit> std::string forEachRun(const Visit &visit) const {
    bool byRows = columnStride == 1;
    int64_t runs = byRows ? rows : columns, length = byRows ? columns : rows;
    for (int64_t i = 0; i < runs && length; ++i) {
      std::string wrong =
          visit(byRows ? at(i, 0) : at(0, i), length * elementBytes());
      if (!wrong.empty())
        return wrong;
    }
    return "";
  }
};

/// One product of two matrices.
struct Task {
  Matrix a, b, c;
  uint64_t bias;
  const Product &product;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string checkRead(const char *operand, uint64_t address,
                             int64_t bytes) {
  DeviceMemory &memory = deviceMemory();
  std::string wrong = memory.checkRange(address, bytes, operand);
  if (!wrong.empty())
    return wrong;
  if (!areWritten(memory.states(address), bytes))
    return std::string(operand) + ": nobody wrote some of " +
           std::to_string(bytes) + " bytes at " + memory.describe(address);
  if (auto intrusion = memory.owners().findIntrusion(address, address + bytes))
    return std::string(operand) + " is dead: " + *intrusion->first.name +
           " wrote it, and " + *intrusion->later.name +
           " some of its bytes at " + memory.describe(intrusion->begin);
  return "";
}

static std::string checkMatrix(const char *operand, const Matrix &matrix) {
  return matrix.forEachRun([&](uint64_t address, int64_t bytes) {
    return checkRead(operand, address, bytes);
  });
}

static std::string checkTask(const Task &task) {
  std::string wrong = checkMatrix("operand a", task.a);
  if (wrong.empty())
    wrong = checkMatrix("operand b", task.b);
  if (wrong.empty() && task.bias)
    wrong = checkRead("the bias", task.bias,
                      task.product.n * task.c.elementBytes());
  if (wrong.empty() && task.product.adds)
    wrong = checkMatrix("operand c", task.c);
  if (!wrong.empty())
    return wrong;
  return task.c.forEachRun([](uint64_t address, int64_t bytes) {
    return deviceMemory().checkRange(address, bytes, "operand c");
  });
}

/// The result's bytes count as written, by this product.
static void claim(const Matrix &c, Owners::Writer writer) {
  c.forEachRun([&](uint64_t address, int64_t bytes) {
    DeviceMemory &memory = deviceMemory();
    uint8_t *states = memory.states(address);
    std::transform(states, states + bytes, states,
                   [](uint8_t s) { return s | kWritten; });
    memory.noteWrite(address, address + bytes);
    memory.owners().assign(address, address + bytes, writer);
    return std::string();
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A matrix as numbers, row by row.
template <typename Math>
static std::vector<Math> unpack(const Matrix &matrix, bool roundsToTF32) {
  std::vector<Math> values;
  values.reserve(matrix.rows * matrix.columns);
  const char *from = deviceMemory().contents(matrix.address);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t column = 0; column < matrix.columns; ++column) {
      Math value = loadElement<Math>(from, matrix.type,
                                     row * matrix.rowStride +
                                         column * matrix.columnStride);
      values.push_back(roundsToTF32 ? Math(toTF32(float(value))) : value);
    }
  return values;
}

/// c = sum over k of a b (+ c) (+ bias): each sum in the order of k.
template <typename Math> static void multiply(const Task &task) {
  const Product &p = task.product;
  bool isTF32 =
      p.aType == MEMOPT_GPU_F32 && (p.flags & MEMOPT_GPU_ALLOW_TF32) != 0;
  std::vector<Math> a = unpack<Math>(task.a, isTF32),
                    b = unpack<Math>(task.b, isTF32), sums(p.n);
  char *c = deviceMemory().contents(task.c.address);
  for (int64_t i = 0; i < p.m; ++i) {
    std::fill(sums.begin(), sums.end(), Math(0));
    for (int64_t k = 0; k < p.k; ++k) {
      Math factor = a[i * p.k + k];
      const Math *row = b.data() + k * p.n;
      for (int64_t j = 0; j < p.n; ++j)
        sums[j] += factor * row[j];
    }
    for (int64_t j = 0; j < p.n; ++j) {
      int64_t at = i * task.c.rowStride + j * task.c.columnStride;
      if (p.adds)
        sums[j] += loadElement<Math>(c, p.cType, at);
      if (task.bias)
        sums[j] +=
            loadElement<Math>(deviceMemory().contents(task.bias), p.cType, j);
      storeElement(c, p.cType, at, sums[j]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

static Matrix matrixAt(const void *base, int64_t type, int64_t rows,
                       int64_t columns, const ProductOperand &operand,
                       int64_t offset) {
  return {reinterpret_cast<uint64_t>(base) + offset * getElementBytes(type),
          type,
          rows,
          columns,
          operand.rowStride,
          operand.columnStride};
}

/// Calls run(task) for each matrix of all batch loops.
template <typename Run>
static std::string forEachTask(const ProductCall &call, const Product &p,
                               const Run &run) {
  int64_t points = p.batch * p.getOuterPoints();
  for (int64_t point = 0; point < points; ++point) {
    int64_t offsets[3];
    for (int operand = 0; operand < 3; ++operand)
      offsets[operand] = p.getOffset(point, operand);
    Task task{matrixAt(call.a, p.aType, p.m, p.k, p.a, offsets[0]),
              matrixAt(call.b, p.bType, p.k, p.n, p.b, offsets[1]),
              matrixAt(call.c, p.cType, p.m, p.n, p.c, offsets[2]),
              reinterpret_cast<uint64_t>(call.bias), p};
    std::string wrong = run(task);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

/// The array of addresses that a batched product is given.
static std::string checkPointers(const ProductCall &call, const Product &p) {
  if (!call.matrices)
    return "";
  const char *const names[] = {"a", "b", "c"};
  const void *bases[] = {call.a, call.b, call.c};
  int64_t types[] = {p.aType, p.bType, p.cType};
  int64_t points = p.batch * p.getOuterPoints();
  auto array = reinterpret_cast<uint64_t>(call.matrices);
  std::string wrong =
      checkRead("the array of addresses", array, 3 * 8 * points);
  for (int64_t i = 0; i < 3 * points && wrong.empty(); ++i) {
    int64_t operand = i / points, point = i % points;
    uint64_t address;
    std::memcpy(&address, deviceMemory().contents(array + 8 * i), 8);
    uint64_t expected =
        reinterpret_cast<uint64_t>(bases[operand]) +
        p.getOffset(point, int(operand)) * getElementBytes(types[operand]);
    if (address != expected)
      wrong = std::string("address ") + std::to_string(point) + " of operand " +
              names[operand] + " is not where its matrix lies";
  }
  return wrong;
}

/// What a library leaves in its workspace is anybody's guess.
static std::string useWorkspace(const ProductCall &call) {
  if (!call.workspace || !call.workspaceBytes)
    return "";
  auto address = reinterpret_cast<uint64_t>(call.workspace);
  std::string wrong =
      deviceMemory().checkRange(address, call.workspaceBytes, "the workspace");
  if (!wrong.empty())
    return wrong;
  deviceMemory().useWorkspace(address, call.workspaceBytes);
  return "";
}

/// Products that fill one buffer piece by piece are one writer.
static Owners::Writer getWriter(const Product &product) {
  static Owners::Writer last;
  if (!(product.flags & MEMOPT_GPU_CONTINUES))
    last = deviceMemory().owners().addWriter("product " + product.print());
  return last;
}

std::string memopt::emulator::runProduct(const ProductCall &call, bool checks) {
  std::string why;
  std::optional<Product> product =
      gpu::getProduct(call.shape, call.bias != nullptr, why);
  if (!product)
    return why;
  if (checks)
    why = checkPointers(call, *product);
  if (why.empty() && checks)
    why = useWorkspace(call);
  if (why.empty() && checks)
    why = forEachTask(call, *product, checkTask);
  if (!why.empty())
    return why;
  Owners::Writer writer = getWriter(*product);
  return forEachTask(call, *product, [&](const Task &task) {
    product->aType == MEMOPT_GPU_F64 ? multiply<double>(task)
                                     : multiply<float>(task);
    claim(task.c, writer);
    return std::string();
  });
}
