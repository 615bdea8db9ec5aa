//===- mem-knapsack.cpp - The solver as a tool ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Certify.h"
#include "MemOpt/Knapsack/Format.h"
#include "Options.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace memopt::knapsack;

namespace {

enum Exit { kAnswered = 0, kBadInput = 1, kBadUsage = 2 };

/// Reads a whole file, or standard input.
bool readText(const std::string &file, std::string &text) {
  std::ifstream in;
  if (file != "-") {
    in.open(file, std::ios::binary);
    if (!in)
      return false;
  }
  std::istream &from = file == "-" ? std::cin : in;
  text.assign(std::istreambuf_iterator<char>(from), {});
  return !from.bad();
}

/// The file's name without folders and without `.txt`.
std::string instanceName(const std::string &file) {
  std::string name = file.substr(file.find_last_of('/') + 1);
  if (name.size() > 4 && name.compare(name.size() - 4, 4, ".txt") == 0)
    name.resize(name.size() - 4);
  return name;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\' || c < 0x20) {
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      out += escaped;
    } else {
      out += char(c);
    }
  }
  return out + "\"";
}

/// 0/1: the numbers of the items taken. Multiple choice: each class's state.
std::string itemList(const Problem &problem, const Choice &choice) {
  std::string out = "[";
  for (size_t i = 0; i < choice.size(); ++i) {
    if (!problem.isMultipleChoice() && !choice[i])
      continue;
    if (out.size() > 1)
      out += ',';
    out += std::to_string(problem.isMultipleChoice() ? choice[i] : int64_t(i));
  }
  return out + "]";
}

struct Run {
  Answer answer;
  double best = 0, cold = 0;
};

Run solveRepeatedly(const Problem &problem, const ToolOptions &options) {
  using Clock = std::chrono::steady_clock;
  Run run;
  for (unsigned i = 0; i < options.repeat; ++i) {
    Clock::time_point start = Clock::now();
    run.answer = solve(problem, options.solve);
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    run.best = i ? std::min(run.best, seconds) : seconds;
    run.cold = i ? run.cold : seconds;
  }
  return run;
}

void printRun(const std::string &file, const Problem &problem, const Run &run,
              const ToolOptions &options, const Certificate *certificate) {
  const Answer &a = run.answer;
  auto number = [&](int64_t x) {
    return a.feasible ? std::to_string(x) : std::string("null");
  };
  std::cout << "{\"instance\":" << quoted(instanceName(file))
            << ",\"n\":" << problem.size()
            << ",\"capacity\":" << problem.capacity << ",\"solver\":\""
            << name(a.solver) << "\",\"value\":" << number(a.value)
            << ",\"weight\":" << number(a.weight)
            << ",\"upper_bound\":" << number(a.upperBound)
            << ",\"optimal\":" << (a.optimal ? "true" : "false");
  char seconds[64];
  std::snprintf(seconds, sizeof(seconds), ",\"seconds\":%.9f", run.best);
  std::cout << seconds;
  if (options.repeat > 1) {
    std::snprintf(seconds, sizeof(seconds), ",\"cold_seconds\":%.9f", run.cold);
    std::cout << seconds;
  }
  std::cout << ",\"peak_bytes\":" << a.peakBytes;
  if (!a.feasible)
    std::cout << ",\"feasible\":false";
  if (a.stop != Stop::Proved)
    std::cout << ",\"stop\":\"" << name(a.stop) << '"';
  if (certificate)
    std::cout << ",\"certificate\":\"" << name(certificate->verdict)
              << "\",\"certificate_reason\":" << quoted(certificate->reason);
  if (options.items && a.feasible)
    std::cout << ",\"items\":" << itemList(problem, a.choice);
  std::cout << "}" << std::endl;
}

/// Where a problem came from, for messages.
std::string display(const std::string &file) {
  return file == "-" ? "<stdin>" : file;
}

Exit fail(const std::string &message) {
  std::cerr << "mem-knapsack: " << message << '\n';
  return kBadInput;
}

Exit runFile(const std::string &file, const ToolOptions &options) {
  std::string text;
  if (!readText(file, text))
    return fail(display(file) + ": cannot be read");
  Problem problem;
  std::vector<size_t> lines;
  std::string error = parse(text, display(file), problem, &lines);
  if (!error.empty())
    return fail(error);
  Defect defect;
  error = check(problem, &defect);
  if (!error.empty())
    return fail(display(file) + ":" +
                std::to_string(defect.known ? lines[defect.state] : 1) + ": " +
                error);
  Run run = solveRepeatedly(problem, options);
  if (!run.answer.error.empty())
    return fail(display(file) + ": internal error: " + run.answer.error);
  Certificate certificate;
  if (options.certify)
    certificate = run.answer.feasible ? certify(problem, run.answer.choice,
                                                options.solve.limits)
                                      : certifyInfeasible(problem);
  printRun(file, problem, run, options,
           options.certify ? &certificate : nullptr);
  if (run.answer.optimal && certificate.verdict == Verdict::NotOptimal)
    return fail(display(file) +
                ": internal error: the certificate refutes the "
                "answer: " +
                certificate.reason);
  return kAnswered;
}

} // namespace

int main(int argc, char **argv) {
  ToolOptions options;
  std::string error = parseOptions(argc, argv, options);
  if (!error.empty()) {
    std::cerr << "mem-knapsack: " << error << "\n\n" << kUsage;
    return kBadUsage;
  }
  if (options.help) {
    std::cout << kUsage;
    return kAnswered;
  }
  int exit = kAnswered;
  for (const std::string &file : options.files)
    exit = std::max<int>(exit, runFile(file, options));
  return exit;
}
