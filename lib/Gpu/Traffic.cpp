//===- Traffic.cpp - bytes that a launch moves ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"
#include "MemOpt/Codegen/Memory.h"

using namespace mlir;
using namespace memopt;

static bool isLoad(const ProgramNode &node) {
  return node.kind == NodeKind::Load || node.kind == NodeKind::Gather ||
         node.kind == NodeKind::Scalar;
}

SmallVector<int> memopt::getLoads(const KernelProgram &program,
                                  ArrayRef<int> roots) {
  SmallVector<bool> needed(program.nodes.size());
  for (int root : roots)
    needed[root] = true;
  SmallVector<int> loads;
  // Operands stand before their readers.
  for (int i = program.nodes.size(); i-- > 0;) {
    if (!needed[i])
      continue;
    for (int operand : program.nodes[i].operands)
      needed[operand] = true;
    if (isLoad(program.nodes[i]))
      loads.push_back(i);
  }
  return SmallVector<int>(llvm::reverse(loads));
}

/// Bytes that a load reaches at all its points.
static int64_t getReached(const KernelProgram &program,
                          const ProgramNode &node) {
  uint64_t loops = node.kind == NodeKind::Load ? IndexMath::getLoops(node.index)
                                               : node.loops;
  return getCount(program, getLoopList(loops)) * getElementBytes(node.type);
}

static int64_t getSourceBytes(const ProgramSource &source,
                              ArrayRef<GpuParameter> parameters) {
  if (source.input >= 0)
    return std::abs(parameters[source.input].bytes);
  return source.data.getNumElements() *
         getElementBytes(source.data.getElementType());
}

/// Different bytes that some loads reach: loads of one source may meet.
static int64_t getBytes(const KernelProgram &program, ArrayRef<int> loads,
                        ArrayRef<GpuParameter> parameters) {
  SmallVector<int64_t> reached(program.sources.size());
  for (int load : loads)
    reached[program.nodes[load].source] +=
        getReached(program, program.nodes[load]);
  int64_t sum = 0;
  for (auto [bytes, source] : llvm::zip_equal(reached, program.sources))
    if (bytes)
      sum += std::min(bytes, getSourceBytes(source, parameters));
  return sum;
}

GpuTraffic memopt::getTraffic(const KernelProgram &program,
                              const GpuStage &stage,
                              ArrayRef<GpuParameter> parameters) {
  GpuTraffic traffic;
  SmallVector<int> first;
  for (ArrayRef<int> round : stage.loads) {
    SmallVector<int> again;
    for (int load : round) {
      if (!llvm::is_contained(first, load))
        first.push_back(load);
      else if (getReached(program, program.nodes[load]) ==
               program.getPoints() * getElementBytes(program.nodes[load].type))
        again.push_back(load); // nobody but this thread reads it
    }
    traffic.read += getBytes(program, again, parameters);
  }
  traffic.leastRead = getBytes(program, first, parameters);
  for (const ProgramStore *store : stage.stores)
    traffic.leastWritten +=
        getCount(program, getLoopList(IndexMath::getLoops(store->index))) *
        getElementBytes(program.nodes[store->node].type);
  traffic.read += traffic.leastRead + stage.partialRead;
  traffic.written = traffic.leastWritten + stage.partialWritten;
  return traffic;
}

GpuTraffic memopt::getWholeTraffic(ArrayRef<GpuParameter> parameters) {
  GpuTraffic traffic;
  for (const GpuParameter &parameter : parameters)
    (parameter.bytes < 0 ? traffic.written : traffic.read) +=
        std::abs(parameter.bytes);
  traffic.leastRead = traffic.read;
  traffic.leastWritten = traffic.written;
  return traffic;
}
