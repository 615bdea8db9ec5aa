//===- Format.cpp - Reading and writing problems --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Format.h"

#include <charconv>
#include <ostream>

namespace memopt::knapsack {

namespace {

/// Splits text into lines of fields and remembers where it is.
class Reader {
public:
  Reader(std::string_view text, std::string_view name)
      : text(text), name(name) {}

  /// Moves to the next line that has fields; false at the end of the text.
  bool nextLine() {
    while (!text.empty()) {
      ++line;
      size_t end = std::min(text.find('\n'), text.size());
      rest = text.substr(0, end);
      rest = rest.substr(0, std::min(rest.find('#'), rest.size()));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (rest.find_first_not_of(kBlank) != rest.npos)
        return true;
    }
    rest = {};
    return false;
  }

  /// The next field of the line; empty at its end.
  std::string_view field() {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
    rest.remove_prefix(word.size());
    return word;
  }

  /// Reads one integer; sets the error and returns false where there is none.
  bool integer(const char *what, int64_t &value) {
    std::string_view word = field();
    if (word.empty())
      return fail(std::string("expected ") + what);
    auto [end, code] =
        std::from_chars(word.data(), word.data() + word.size(), value);
    if (code == std::errc::result_out_of_range)
      return fail(std::string(what) + " '" + std::string(word) +
                  "' does not fit into 64 bits");
    if (code != std::errc() || end != word.data() + word.size())
      return fail(std::string(what) + " '" + std::string(word) +
                  "' is not an integer");
    return true;
  }

  bool atEndOfLine() { return rest.find_first_not_of(kBlank) == rest.npos; }

  bool endOfLine() {
    std::string_view word = field();
    return word.empty() ||
           fail("'" + std::string(word) + "' is too much on this line");
  }

  bool fail(const std::string &what) {
    error = std::string(name) + ":" + std::to_string(line) + ": " + what;
    return false;
  }

  /// Remembers the line that a state stands on.
  void noteState() {
    if (lines)
      lines->push_back(line);
  }

  std::string error;
  std::vector<size_t> *lines = nullptr;

private:
  static constexpr const char *kBlank = " \t\r\v\f";
  std::string_view text, name, rest;
  size_t line = 0;
};

/// Reads `count` lines `value weight [key]`.
bool readStates(Reader &in, int64_t count, const char *what,
                std::vector<State> &states) {
  for (int64_t i = 0; i < count; ++i) {
    if (!in.nextLine())
      return in.fail("the text ends after " + std::to_string(i) + " of " +
                     std::to_string(count) + " " + what);
    State s;
    if (!in.integer("value", s.value) || !in.integer("weight", s.weight))
      return false;
    if (!in.atEndOfLine() && !in.integer("key", s.key))
      return false;
    if (!in.endOfLine())
      return false;
    states.push_back(s);
    in.noteState();
  }
  return true;
}

/// Reads a number of things that follow, each on a line of its own.
bool readCount(Reader &in, const char *what, int64_t least, int64_t &count) {
  if (!in.integer(what, count))
    return false;
  if (count < least || count > INT32_MAX)
    return in.fail(std::string(what) + " " + std::to_string(count) +
                   " is not between " + std::to_string(least) +
                   " and 2147483647");
  return true;
}

bool readClasses(Reader &in, Problem &p) {
  int64_t classes = 0;
  if (in.field() != "classes")
    return in.fail("expected 'classes'");
  if (!readCount(in, "number of classes", 0, classes) ||
      !in.integer("capacity", p.capacity) || !in.endOfLine())
    return false;
  p.classStart.assign(1, 0);
  for (int64_t c = 0; c < classes; ++c) {
    int64_t states = 0;
    if (!in.nextLine())
      return in.fail("the text ends after " + std::to_string(c) + " of " +
                     std::to_string(classes) + " classes");
    if (!readCount(in, "number of states", 1, states) || !in.endOfLine() ||
        !readStates(in, states, "states", p.states))
      return false;
    p.classStart.push_back(uint32_t(p.states.size()));
  }
  return true;
}

bool readItems(Reader &in, Problem &p) {
  int64_t n = 0;
  return readCount(in, "number of items", 0, n) &&
         in.integer("capacity", p.capacity) && in.endOfLine() &&
         readStates(in, n, "items", p.states);
}

bool startsWithLetter(std::string_view text, std::string_view name) {
  Reader probe(text, name);
  probe.nextLine();
  std::string_view word = probe.field();
  return !word.empty() && word[0] >= 'a' && word[0] <= 'z';
}

void printStates(const Problem &p, size_t begin, size_t end, bool keys,
                 std::ostream &os) {
  for (size_t s = begin; s < end; ++s) {
    os << p.states[s].value << ' ' << p.states[s].weight;
    if (keys)
      os << ' ' << p.states[s].key;
    os << '\n';
  }
}

} // namespace

std::string parse(std::string_view text, std::string_view name,
                  Problem &problem, std::vector<size_t> *lines) {
  problem = Problem();
  Reader in(text, name);
  in.lines = lines;
  if (!in.nextLine()) {
    in.fail("the text is empty");
    return in.error;
  }
  bool ok = startsWithLetter(text, name) ? readClasses(in, problem)
                                         : readItems(in, problem);
  if (ok && in.nextLine())
    in.fail("more lines than the first line announces");
  return in.error;
}

void print(const Problem &problem, std::ostream &os) {
  bool keys = false;
  for (const State &s : problem.states)
    keys |= s.key != 0;
  if (!problem.isMultipleChoice()) {
    os << problem.states.size() << ' ' << problem.capacity << '\n';
    printStates(problem, 0, problem.states.size(), keys, os);
    return;
  }
  os << "classes " << problem.size() << ' ' << problem.capacity << '\n';
  for (size_t c = 0; c < problem.size(); ++c) {
    os << problem.alternatives(c) << '\n';
    printStates(problem, problem.classStart[c], problem.classStart[c + 1], keys,
                os);
  }
}

} // namespace memopt::knapsack
