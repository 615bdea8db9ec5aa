//===- StepGraphText.cpp - training steps as text -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/StepGraphText.h"

#include <ostream>
#include <sstream>

using namespace memopt;

namespace {

constexpr OpClass classes[] = {OpClass::Contraction,  OpClass::Elementwise,
                               OpClass::RowReduction, OpClass::ColumnReduction,
                               OpClass::Movement,     OpClass::Opaque};

class Parser {
public:
  Parser(std::string_view text, StepGraph &graph)
      : input{std::string(text)}, graph(graph) {}

  std::string parse() {
    std::string error = parseAll();
    if (!error.empty())
      return "line " + std::to_string(lineNumber) + ": " + error;
    return graph.check();
  }

private:
  /// The next line that says something, as a stream of words.
  bool next() {
    std::string text;
    while (std::getline(input, text)) {
      ++lineNumber;
      if (text.empty() || text[0] == '#')
        continue;
      line = std::istringstream(text);
      return true;
    }
    ++lineNumber;
    return false;
  }

  bool word(const char *expected) {
    std::string got;
    return line >> got && got == expected;
  }

  std::string parseAll() {
    int version;
    if (!next() || !word("memopt-step") || !(line >> version) || version != 1)
      return "expected `memopt-step 1`";
    int64_t count;
    if (!next() || !word("values") || !(line >> count) || count < 0)
      return "expected `values N`";
    for (int64_t v = 0; v < count; ++v)
      if (!next() || !parseValue())
        return "expected `v BYTES FLAGS NAME`";
    if (!next() || !word("ops") || !(line >> count) || count < 0 ||
        !word("forward") || !(line >> graph.forwardEnd))
      return "expected `ops N forward M`";
    for (int64_t o = 0; o < count; ++o)
      if (!next() || !parseOp(static_cast<int>(o)))
        return "expected `o CLASS POINTS ROW FLOPS ELEMENT FLAGS : OPERANDS : "
               "RESULTS`";
    return next() ? "text after the last op" : "";
  }

  bool parseValue() {
    StepValue value;
    std::string flags;
    if (!word("v") || !(line >> value.bytes >> flags))
      return false;
    value.returned = flags.find('r') != std::string::npos;
    std::getline(line >> std::ws, value.name);
    graph.values.push_back(std::move(value));
    return true;
  }

  bool parseOp(int index) {
    StepOp op;
    std::string name, flags;
    if (!word("o") ||
        !(line >> name >> op.points >> op.rowLength >> op.flops >>
          op.elementBytes >> flags) ||
        !word(":"))
      return false;
    bool known = false;
    for (OpClass c : classes)
      if (name == getName(c))
        op.opClass = c, known = true;
    op.recomputable = flags.find('n') == std::string::npos;
    op.movable = flags.find('f') == std::string::npos;
    std::string item;
    while (line >> item && item != ":") {
      bool aligned = item.back() == 'a';
      op.operands.push_back({std::atoi(item.c_str()), aligned});
    }
    int result;
    while (line >> result) {
      if (result < 0 || result >= static_cast<int>(graph.values.size()))
        return false;
      graph.values[result].op = index;
      op.results.push_back(result);
    }
    graph.ops.push_back(std::move(op));
    return known && line.eof();
  }

  std::istringstream input, line;
  int lineNumber = 0;
  StepGraph &graph;
};

} // namespace

const char *memopt::getName(OpClass opClass) {
  switch (opClass) {
  case OpClass::Contraction:
    return "contraction";
  case OpClass::Elementwise:
    return "elementwise";
  case OpClass::RowReduction:
    return "row";
  case OpClass::ColumnReduction:
    return "column";
  case OpClass::Movement:
    return "movement";
  case OpClass::Opaque:
    return "opaque";
  }
  return "opaque";
}

void memopt::printStepGraph(const StepGraph &graph, std::ostream &os) {
  os << "memopt-step 1\nvalues " << graph.values.size() << '\n';
  for (const StepValue &value : graph.values) {
    std::string flags = value.op < 0 ? "a" : "";
    if (value.returned)
      flags += 'r';
    os << "v " << value.bytes << ' ' << (flags.empty() ? "-" : flags) << ' '
       << value.name << '\n';
  }
  os << "ops " << graph.ops.size() << " forward " << graph.forwardEnd << '\n';
  for (const StepOp &op : graph.ops) {
    std::string flags = op.recomputable ? "" : "n";
    if (!op.movable)
      flags += 'f';
    os << "o " << getName(op.opClass) << ' ' << op.points << ' ' << op.rowLength
       << ' ' << op.flops << ' ' << op.elementBytes << ' '
       << (flags.empty() ? "-" : flags) << " :";
    for (const StepOperand &operand : op.operands)
      os << ' ' << operand.value << (operand.aligned ? "a" : "");
    os << " :";
    for (int v : op.results)
      os << ' ' << v;
    os << '\n';
  }
}

std::string memopt::parseStepGraph(std::string_view text, StepGraph &graph) {
  graph = StepGraph();
  return Parser(text, graph).parse();
}
