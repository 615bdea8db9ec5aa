//===- Options.cpp - The command line of mem-knapsack ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <cmath>

namespace memopt::knapsack {

const char *const kUsage =
    R"(usage: mem-knapsack [OPTIONS] FILE...

Solves knapsack problems exactly and prints one JSON object a line. A FILE of -
is standard input. See docs/knapsack.md for the format.

  --solver=NAME         auto (default), list, hirschberg, table, exhaustive
  --order=earlier|later which of identical items are taken (default earlier)
  --certify             prove the answer again, without the solver's code
  --time-limit=SECONDS  stop with a feasible answer and an upper bound
  --memory-limit=BYTES  likewise; K, M and G count in 1024s (default 2G)
  --repeat=N            solve N times; "seconds" is the best, "cold_seconds" the
                        first
  --items               print the choice too
  --help

Exit code: 0 where there is an answer, 1 for bad input, 2 for bad usage.
)";

namespace {

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

bool parseSolver(std::string_view text, Solver &solver) {
  for (Solver s : {Solver::Auto, Solver::Exhaustive, Solver::Table,
                   Solver::Hirschberg, Solver::List})
    if (text == name(s)) {
      solver = s;
      return true;
    }
  return false;
}

/// A whole number with an optional suffix of 1024s.
bool parseBytes(std::string_view text, size_t &bytes) {
  unsigned shift = 0;
  if (!text.empty()) {
    std::string_view::size_type unit =
        std::string_view("KMG").find(text.back());
    if (unit != std::string_view::npos) {
      shift = unsigned(unit + 1) * 10;
      text.remove_suffix(1);
    }
  }
  size_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !value ||
      value > SIZE_MAX >> shift)
    return false;
  bytes = value << shift;
  return true;
}

bool parseSeconds(std::string_view text, double &seconds) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), seconds);
  return code == std::errc() && end == text.data() + text.size() &&
         std::isfinite(seconds) && seconds >= 0;
}

bool parseCount(std::string_view text, unsigned &count) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  return code == std::errc() && end == text.data() + text.size() && count > 0;
}

bool parseOrder(std::string_view text, PositionOrder &order) {
  order =
      text == "later" ? PositionOrder::LaterFirst : PositionOrder::EarlierFirst;
  return text == "later" || text == "earlier";
}

/// One option with a value, `--name=value`.
std::string parseValue(std::string_view option, std::string_view value,
                       ToolOptions &out) {
  auto expect = [&](bool ok, const char *what) {
    return ok ? std::string()
              : std::string(option) + " takes " + what + ", not " +
                    quote(value);
  };
  if (option == "--solver")
    return expect(parseSolver(value, out.solve.solver),
                  "auto, list, hirschberg, table or exhaustive");
  if (option == "--order")
    return expect(parseOrder(value, out.solve.order), "earlier or later");
  if (option == "--time-limit")
    return expect(parseSeconds(value, out.solve.limits.seconds),
                  "seconds that are not negative");
  if (option == "--memory-limit")
    return expect(parseBytes(value, out.solve.limits.bytes),
                  "a positive number of bytes");
  if (option == "--repeat")
    return expect(parseCount(value, out.repeat), "a positive number");
  return "no option " + quote(option);
}

} // namespace

std::string parseOptions(int argc, char **argv, ToolOptions &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "-" || word.substr(0, 1) != "-") {
      options.files.emplace_back(word);
    } else if (word == "--certify") {
      options.certify = true;
    } else if (word == "--items") {
      options.items = true;
    } else if (word == "--help") {
      options.help = true;
    } else if (size_t at = word.find('='); at != word.npos) {
      std::string error =
          parseValue(word.substr(0, at), word.substr(at + 1), options);
      if (!error.empty())
        return error;
    } else {
      return "no option " + quote(word);
    }
  }
  if (options.files.empty() && !options.help)
    return "no FILE given";
  return "";
}

} // namespace memopt::knapsack
