//===- DeviceExecution.cpp - a step on a GPU ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceExecution.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

Expected<std::unique_ptr<DeviceExecution>>
DeviceExecution::create(const CompiledStep &step, Device &device) {
  Expected<DeviceBuffer> arena =
      DeviceBuffer::allocate(device, step.interface().arenaBytes);
  if (!arena)
    return makeError("the step's arena: %s",
                     llvm::toString(arena.takeError()).c_str());
  auto execution = std::unique_ptr<DeviceExecution>(
      new DeviceExecution(step, device, std::move(*arena)));
  if (Error error = execution->allocateRest())
    return error;
  return execution;
}

DeviceExecution::~DeviceExecution() {
  if (graph)
    gpu.freeGraph(graph);
}

Error DeviceExecution::allocateRest() {
  const StepInterface &interface = step.interface();
  for (auto [i, argument] : llvm::enumerate(interface.arguments)) {
    Expected<DeviceBuffer> buffer =
        DeviceBuffer::allocate(gpu, *checkedByteSize(argument.type));
    if (!buffer)
      return makeError("argument %zu: %s", i,
                       llvm::toString(buffer.takeError()).c_str());
    pointers.push_back(buffer->data());
    buffers.push_back(std::move(*buffer));
  }
  for (const StepResult &result : interface.results) {
    Expected<Array> array = result.argument ? Expected<Array>(Array())
                                            : Array::allocate(result.type);
    if (!array)
      return array.takeError();
    results.push_back(std::move(*array));
  }
  return Error::success();
}

Error DeviceExecution::copyIn(const std::vector<Array> &arguments) {
  for (auto [buffer, array] : llvm::zip(buffers, arguments))
    if (Error error = gpu.copyIn(buffer.data(), array.data(), array.bytes()))
      return error;
  const StepInterface &interface = step.interface();
  if (!interface.globalsOffset)
    return Error::success();
  return gpu.copyIn(arena.data() + *interface.globalsOffset,
                    step.globals().data(), interface.globalsBytes);
}

Error DeviceExecution::copyOut(std::vector<Array> &arguments) {
  const StepInterface &interface = step.interface();
  for (auto [i, argument] : llvm::enumerate(interface.arguments))
    if (argument.donated)
      if (Error error = gpu.copyOut(arguments[i].data(), buffers[i].data(),
                                    arguments[i].bytes()))
        return error;
  for (auto [i, result] : llvm::enumerate(interface.results))
    if (!result.argument)
      if (Error error =
              gpu.copyOut(results[i].data(), arena.data() + result.offset,
                          results[i].bytes()))
        return makeError("result %zu: %s", i,
                         llvm::toString(std::move(error)).c_str());
  if (!interface.globalsOffset)
    return Error::success();
  return gpu.copyOut(step.globals().data(),
                     arena.data() + *interface.globalsOffset,
                     interface.globalsBytes);
}

/// The step itself; as a graph from the second time on, where it asks for that.
Error DeviceExecution::call() {
  if (graph)
    return gpu.runGraph(graph);
  if (!hasRun || !step.interface().cudaGraph) {
    hasRun = true;
    step.call(pointers.data(), arena.data());
    return Error::success();
  }
  if (Error error = gpu.beginCapture())
    return error;
  step.call(pointers.data(), arena.data());
  Expected<void *> captured = gpu.endCapture();
  if (!captured)
    return captured.takeError();
  graph = *captured;
  return gpu.runGraph(graph);
}

static memopt_gpu_counts difference(const memopt_gpu_counts &after,
                                    const memopt_gpu_counts &before) {
  return {after.launches - before.launches, after.products - before.products,
          after.allocations - before.allocations, after.copies - before.copies,
          after.synchronisations - before.synchronisations};
}

Error DeviceExecution::run(std::vector<Array> &arguments, double &seconds) {
  if (Error error = copyIn(arguments))
    return error;
  memopt_gpu_counts before = gpu.counts();
  auto start = std::chrono::steady_clock::now();
  if (Error error = call())
    return error;
  inStep = difference(gpu.counts(), before);
  if (Error error = gpu.synchronize())
    return error;
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return copyOut(arguments);
}

Error DeviceExecution::fillArena(uint8_t value) {
  return gpu.poison(arena.data(), arena.bytes(), value);
}

/// One past the last byte that is not `value` among those before `end`.
static int64_t endOfOther(llvm::ArrayRef<uint8_t> bytes, uint8_t value) {
  int64_t end = int64_t(bytes.size());
  while (end > 0 && bytes[end - 1] == value)
    --end;
  return end;
}

Expected<int64_t> DeviceExecution::touchedBytes(uint8_t value) {
  int64_t known = gpu.touchedBytes(arena.data());
  if (known >= 0)
    return known;
  constexpr int64_t pieceBytes = int64_t(1) << 26;
  std::vector<uint8_t> piece(std::min(arena.bytes(), pieceBytes));
  for (int64_t end = arena.bytes(); end > 0;) {
    int64_t begin = std::max<int64_t>(0, end - pieceBytes);
    if (Error error =
            gpu.copyOut(piece.data(), arena.data() + begin, end - begin))
      return error;
    if (int64_t last =
            endOfOther(llvm::ArrayRef(piece).take_front(end - begin), value))
      return begin + last;
    end = begin;
  }
  return 0;
}
