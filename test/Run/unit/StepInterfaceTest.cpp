//===- StepInterfaceTest.cpp - descriptions of compiled steps -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/StepInterface.h"
#include "MemOpt/Run/StepNames.h"
#include "TestFiles.h"
#include <fstream>

using namespace memopt::run;

static const char kStep[] = R"({"name": "step", "arena_bytes": 192,
  "arena_alignment": 64,
  "arguments": [{"type": "f32", "shape": [4, 8], "donated": true},
                {"type": "i64", "shape": [2]},
                {"type": "f32", "shape": [4]}],
  "results": [{"type": "f32", "shape": [], "offset": 188},
              {"type": "f32", "shape": [4, 8], "argument": 0},
              {"type": "f32", "shape": [4], "offset": 64}]})";

TEST(StepInterface, Reads) {
  StepInterface step = take(parseStepInterface(kStep));
  EXPECT_EQ(step.arenaBytes, 192);
  EXPECT_EQ(step.argumentBytes(), 128 + 16 + 16);
  EXPECT_TRUE(step.arguments[0].donated);
  EXPECT_FALSE(step.arguments[1].donated);
  EXPECT_EQ(step.globalsBytes, 0);
  EXPECT_EQ(step.results[0].offset, 188);
  EXPECT_EQ(step.results[1].argument, 0);
}

/// The message for `kStep` with one piece replaced.
static std::string messageWith(const std::string &from, const std::string &to) {
  std::string text = kStep;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return messageOf(parseStepInterface(text.replace(at, from.size(), to)));
}

TEST(StepInterface, Errors) {
  const std::string head = "the step's description: ";
  EXPECT_EQ(messageWith("\"arena_bytes\": 192,", ""), head + "no arena_bytes");
  EXPECT_EQ(messageWith("\"arena_bytes\": 192,",
                        "\"arena_bytes\": 192, \"globals_bytes\": -8,"),
            head + "globals_bytes is no size");
  EXPECT_EQ(messageWith("64,", "48,"),
            head + "arena_alignment is no power of two up to 4096");
  EXPECT_EQ(messageWith("\"i64\"", "\"i7\""),
            head + "argument 1 has no element type that can be run ('i7')");
  EXPECT_EQ(messageWith("[2]", "[-2]"),
            head + "argument 1 has a size that is no number");
  EXPECT_EQ(messageWith("188", "190"),
            head + "result 0 does not lie in the arena");
  EXPECT_EQ(messageWith("188", "186"), head + "result 0 is not aligned");
  EXPECT_EQ(messageWith("\"argument\": 0", "\"argument\": 2"),
            head + "result 1 is no argument of its type");
  EXPECT_NE(messageWith("{\"name\"", "[\"name\"").find(head),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Whose gradients the results are
//===----------------------------------------------------------------------===//

static StepInterface makeStep() { return take(parseStepInterface(kStep)); }

static std::vector<std::pair<size_t, size_t>>
pairs(const std::vector<Gradient> &gradients) {
  std::vector<std::pair<size_t, size_t>> found;
  for (Gradient gradient : gradients)
    found.emplace_back(gradient.result, gradient.argument);
  return found;
}

TEST(Gradients, ByList) {
  StepInterface step = makeStep();
  EXPECT_EQ(pairs(take(gradientsByList("0,2", step))),
            (std::vector<std::pair<size_t, size_t>>{{1, 0}, {2, 2}}));
  EXPECT_EQ(messageOf(gradientsByList("0-1", step)),
            "--parameters: result 2, f32[4], cannot be the gradient of "
            "argument 1, i64[2]");
  EXPECT_EQ(messageOf(gradientsByList("0-9", step)),
            "--parameters: '0-9' is no number or span of numbers of the step's "
            "3 arguments");
  EXPECT_EQ(messageOf(gradientsByList("0-2", step)),
            "--parameters names 3 arguments, the step has 2 results beside its "
            "loss");
}

TEST(Gradients, ByPosition) {
  StepInterface step = makeStep();
  EXPECT_EQ(messageOf(gradientsByPosition(step)),
            "result 2, f32[4], cannot be the gradient of argument 1, i64[2]: "
            "say with --names or --parameters whose it is");
  step.results.pop_back();
  EXPECT_EQ(pairs(take(gradientsByPosition(step))),
            (std::vector<std::pair<size_t, size_t>>{{1, 0}}));
}

TEST(Gradients, ByName) {
  StepInterface step = makeStep();
  TestFile file("json");
  std::ofstream(file.path) << R"({"args": [
    {"kind": "param", "name": "w"}, {"kind": "input", "name": "ids"},
    {"kind": "param", "name": "b"}], "results": [
    {"kind": "loss", "name": "loss"}, {"kind": "grad", "name": "w"},
    {"kind": "grad", "name": "b"}]})";
  StepNames names = take(readStepNames(file.path, step));
  EXPECT_EQ(pairs(take(gradientsByName(names, step))),
            (std::vector<std::pair<size_t, size_t>>{{1, 0}, {2, 2}}));
  names.results[2].name = "c";
  EXPECT_EQ(messageOf(gradientsByName(names, step)),
            "result 2 is the gradient of c, which is no argument");
  step.results.pop_back();
  EXPECT_EQ(messageOf(readStepNames(file.path, step)),
            file.path + ": \"results\" has 3 entries, the step has 2");
}
