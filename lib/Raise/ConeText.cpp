//===- ConeText.cpp - equal text, equal function --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConeText.h"

using namespace memopt::raising;

/// Writes an input by the order of its first appearance.
void ConeText::number(NodeId id, char kind) {
  text += kind;
  if (inputs.insert(id))
    return appendNumber(int64_t(inputs.size() - 1));
  appendNumber(llvm::find(inputs, id) - inputs.begin());
}

void ConeText::restart(size_t count) {
  text.clear();
  written.clear();
  while (inputs.size() > count)
    inputs.pop_back();
}

void ConeText::appendCone(NodeId id) {
  if (auto letter = letters.find(id); letter != letters.end()) {
    text += '@';
    appendNumber(int64_t(letter->second));
    return;
  }
  auto [seen, isNew] = written.try_emplace(id, written.size());
  if (!isNew) {
    text += '#';
    appendNumber(int64_t(seen->second));
    return;
  }
  const Node &node = graph[id];
  switch (node.kind) {
  case NodeKind::Constant:
    text += 'c';
    appendReal(node.constant.real);
    return;
  case NodeKind::Leaf:
  case NodeKind::ColumnReduction:
    number(id, 'i');
    return;
  case NodeKind::RowReduction:
    text += 'r';
    appendNumber(node.reduced);
    appendReal(node.init);
    break;
  case NodeKind::Elementwise:
    text += 'e';
    break;
  }
  text += char(node.op.code);
  text += char(node.op.predicate);
  for (const Operand &operand : node.operands)
    appendOperand(operand);
  text += ')';
}

/// Every column is an input of its own, whatever it is computed from.
void ConeText::appendOperand(const Operand &operand) {
  text += char('0' + int(operand.access));
  if (operand.access == Access::RowBroadcast ||
      operand.access == Access::ColumnBroadcast)
    appendNumber(operand.period);
  if (operand.access == Access::ColumnBroadcast &&
      graph[operand.node].kind != NodeKind::Constant)
    number(operand.node, 'i');
  else
    appendCone(operand.node);
}
