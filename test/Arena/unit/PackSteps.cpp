//===- PackSteps.cpp - packs the storages of printed steps ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: pack-steps FILE...
//
// Reads steps as `memopt-print-step-graph` writes them, fuses them in their own
// order, packs what is alive beside each kernel, and prints one JSON object a
// line. `peak` is the simulated peak of the planner: the lower bound must equal
// it. `seconds` are CPU time. Exit code 1 where anything is wrong.
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Arena/Pack.h"
#include "MemOpt/Planning/PeakMemory.h"
#include "MemOpt/Planning/StepGraphText.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace memopt;

namespace {

struct Step {
  std::vector<arena::Buffer> buffers;
  int64_t peakBytes = 0;
};

/// The lifetimes of PeakMemory, counted once more: from the kernel that makes a
/// value to the last that reads it, or to the end for a result; nothing where
/// only its own kernel reads it.
void findBuffers(const StepGraph &graph, const Schedule &schedule,
                 const ScheduleReads &reads, const FusionPlan &fusion,
                 std::vector<arena::Buffer> &buffers) {
  std::vector<int> death(graph.values.size(), -1);
  for (size_t p = 0; p < schedule.order.size(); ++p) {
    int i = reads.begin[p];
    for (const StepOperand &operand : graph.ops[schedule.order[p].op].operands)
      if (reads.source[i++] >= 0)
        death[operand.value] =
            std::max(death[operand.value], fusion.kernelOf[p]);
  }
  for (size_t p = 0; p < schedule.order.size(); ++p)
    for (int v : graph.ops[schedule.order[p].op].results) {
      int birth = fusion.kernelOf[p];
      if (graph.values[v].returned)
        death[v] = fusion.getKernelCount() - 1;
      else if (death[v] == birth)
        continue;
      buffers.push_back(
          {graph.values[v].bytes, birth, std::max(birth, death[v])});
    }
}

std::string readStep(const char *file, Step &step) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return "cannot be read";
  std::string text(std::istreambuf_iterator<char>(in), {});
  StepGraph graph;
  if (std::string error = parseStepGraph(text, graph); !error.empty())
    return error;
  Schedule schedule = captureSchedule(graph);
  ScheduleReads reads;
  if (std::string error = resolveReads(graph, schedule, reads); !error.empty())
    return error;
  FusionPlan fusion = fuse(graph, schedule, reads);
  step.peakBytes = simulatePeak(graph, schedule, reads, fusion).peakBytes;
  findBuffers(graph, schedule, reads, fusion, step.buffers);
  return arena::check(step.buffers);
}

std::string packStep(const char *file) {
  Step step;
  if (std::string error = readStep(file, step); !error.empty())
    return error;
  std::clock_t start = std::clock();
  arena::Packing packing = arena::pack(step.buffers);
  double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (std::string error = arena::verify(step.buffers, {}, packing);
      !error.empty())
    return error;
  if (packing.lowerBound != step.peakBytes)
    return "the lower bound " + std::to_string(packing.lowerBound) +
           " is not the simulated peak " + std::to_string(step.peakBytes);
  auto simpler = [&](arena::Order order) {
    return static_cast<long long>(
        arena::packFirstFit(step.buffers, order).height);
  };
  std::printf("{\"file\":\"%s\",\"buffers\":%zu,\"lower_bound\":%lld,"
              "\"height\":%lld,\"optimal\":%s,\"seconds\":%.6f,"
              "\"by_birth\":%lld,\"by_size\":%lld}\n",
              file, step.buffers.size(),
              static_cast<long long>(packing.lowerBound),
              static_cast<long long>(packing.height),
              packing.optimal ? "true" : "false", seconds,
              simpler(arena::Order::Birth), simpler(arena::Order::Size));
  return "";
}

} // namespace

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; ++i)
    if (std::string error = packStep(argv[i]); !error.empty()) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.c_str());
      failed = 1;
    }
  return failed;
}
