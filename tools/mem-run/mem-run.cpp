//===- mem-run.cpp - runs a training step ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Allocations.h"
#include "MemOpt/Runtime/Cpu.h"
#include "Session.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>

using namespace memopt::run;

namespace {

enum Exit { kDone = 0, kFailed = 1, kInterrupted = 130 };

} // namespace

static Exit finish(llvm::json::Object object, Exit code) {
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
  llvm::outs().flush();
  return code;
}

static Exit fail(llvm::Error error, Outcome outcome) {
  std::string message = llvm::toString(std::move(error));
  llvm::errs() << "mem-run: " << message << '\n';
  outcome.ok = false;
  llvm::json::Object object = report(outcome);
  object["error"] = message;
  return finish(std::move(object), kFailed);
}

/// Where an assertion of the step does not hold: nothing can go on from here.
[[noreturn]] static void stop(const char *message) {
  std::_Exit(fail(llvm::createStringError("an assertion of the step does not "
                                          "hold: %s",
                                          message),
                  {}));
}

/// Says on standard error what the JSON says with `ok: false`.
static void explain(const Outcome &outcome) {
  if (outcome.interrupted)
    llvm::errs() << "mem-run: interrupted: no file is written\n";
  if (outcome.measurement && !outcome.measurement->repeatable)
    llvm::errs() << "mem-run: two runs differ: the step draws random numbers, "
                    "or reads memory that it has not written\n";
  size_t wrong = 0;
  for (const Check &check : outcome.checks)
    wrong += !check.ok();
  const Check *check = worst(outcome.checks);
  if (wrong)
    llvm::errs() << "mem-run: " << wrong << " of " << outcome.checks.size()
                 << " results are not within tolerance; the worst, res"
                 << check->result << ", has norm " << check->reference
                 << ", error " << check->error << ", tolerance "
                 << check->tolerance << '\n';
}

int main(int argc, char **argv) {
  enterMain();
  countApart(memopt_cpu_in_library);
  memopt_cpu_set_failure_handler(stop);
  // A file that grows past the limit is then an error as any other.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::Expected<ToolOptions> options = parseOptions(argc, argv);
  if (!options)
    return fail(options.takeError(), {});
  Outcome outcome;
  if (llvm::Error error = runSession(*options, outcome))
    return fail(std::move(error), std::move(outcome));
  explain(outcome);
  Exit code = outcome.interrupted ? kInterrupted : outcome.ok ? kDone : kFailed;
  return finish(report(outcome), code);
}
