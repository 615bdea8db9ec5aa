//===- ProgramText.cpp - programs as text ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/KernelProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace memopt;

static void printNode(const ProgramNode &node, raw_ostream &os) {
  auto operands = [&](StringRef open, StringRef close) {
    os << open;
    llvm::interleaveComma(node.operands, os, [&](int i) { os << '%' << i; });
    os << close;
  };
  switch (node.kind) {
  case NodeKind::Constant:
    os << node.constant;
    return;
  case NodeKind::Undefined:
    os << "undefined";
    break;
  case NodeKind::Scalar:
    os << "scalar #" << node.source;
    break;
  case NodeKind::Index:
    os << node.index;
    break;
  case NodeKind::Load:
    os << "load #" << node.source << "[" << node.index << "]";
    break;
  case NodeKind::Gather:
    os << "gather #" << node.source << "[" << node.index << "]";
    operands("(", ")");
    break;
  case NodeKind::Compute:
    os << node.op->getName();
    operands(" ", "");
    break;
  case NodeKind::Accumulator:
    os << "accumulator " << node.reduction << "." << node.result;
    break;
  case NodeKind::Reduced:
    os << "reduced " << node.reduction << "." << node.result;
    break;
  }
  os << " : " << node.type;
}

static void printReduction(const ProgramReduction &reduction, raw_ostream &os) {
  os << "reduce over";
  for (unsigned loop = 0; loop < 64; ++loop)
    if (reduction.loops >> loop & 1)
      os << " d" << loop;
  os << ":";
  for (auto [init, update] : llvm::zip(reduction.inits, reduction.updates))
    os << " from %" << init << " by %" << update;
}

void KernelProgram::print(raw_ostream &os) const {
  if (empty) {
    os << "nothing\n";
    return;
  }
  os << "loops ";
  llvm::interleave(sizes, os, " x ");
  os << ", " << rowLoops << " of rows\n";
  for (auto [i, source] : llvm::enumerate(sources))
    if (source.data)
      os << "#" << i << " = " << source.data.getType() << "\n";
  for (auto [i, node] : llvm::enumerate(nodes)) {
    os << "%" << i << " = ";
    printNode(node, os);
    os << "\n";
  }
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    os << i << ": ";
    printReduction(reduction, os);
    os << "\n";
  }
  for (const ProgramAssert &check : asserts)
    os << "assert %" << check.condition << " \"" << check.message << "\"\n";
  for (const ProgramStore &store : stores)
    os << "store %" << store.node << " -> #" << store.output << "["
       << store.index << "]\n";
}
