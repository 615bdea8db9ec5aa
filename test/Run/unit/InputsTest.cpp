//===- InputsTest.cpp - arguments from files and at random ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Inputs.h"
#include "MemOpt/Run/Arena.h"
#include "MemOpt/Run/ObjectCache.h"
#include "TestFiles.h"
#include <fstream>

using namespace memopt::run;

static StepInterface makeStep() {
  StepInterface step;
  step.arguments.push_back({{Element::BF16, {2}}});
  step.arguments.push_back({{Element::I64, {1000}}});
  return step;
}

static std::string readMessage(llvm::ArrayRef<NamedArray> arrays) {
  TestFile file("npz");
  llvm::consumeError(writeNpz(file.path, arrays));
  NpzReader reader = take(NpzReader::open(file.path));
  std::string message = messageOf(readArguments(reader, makeStep()));
  return message.empty() ? "" : message.substr(file.path.size());
}

TEST(Inputs, ReadArguments) {
  // 1 + 2^-9 rounds to 1 as bfloat16.
  Array wide = makeArray(Element::F32, {2}, {1 + 0x1p-9, -2});
  Array ids = makeArray(Element::I64, {1000}, {});
  TestFile file("npz");
  llvm::consumeError(
      writeNpz(file.path, {{"arg0", wide}, {"arg1", ids}, {"res7", ids}}));
  NpzReader reader = take(NpzReader::open(file.path));
  std::vector<Array> arguments = take(readArguments(reader, makeStep()));
  EXPECT_EQ(toString(arguments[0].type()), "bf16[2]");
  EXPECT_EQ(valuesOf(arguments[0]), (std::vector<double>{1, -2}));
}

TEST(Inputs, ReadErrors) {
  Array wide = makeArray(Element::F32, {2}, {1, 2});
  Array ids = makeArray(Element::I64, {1000}, {});
  Array narrow = makeArray(Element::I32, {1000}, {});
  EXPECT_EQ(readMessage({{"arg0", wide}}), ": has no array arg1");
  EXPECT_EQ(readMessage({{"arg0", wide}, {"arg1", narrow}}),
            ": arg1 is i32[1000], the step takes i64[1000]");
  EXPECT_EQ(readMessage({{"arg0", ids}, {"arg1", ids}}),
            ": arg0 is i64[1000], the step takes bf16[2]");
  EXPECT_EQ(readMessage({{"arg0", wide}, {"arg1", ids}, {"arg2", ids}}),
            ": has arg2, the step takes 2 arguments");
}

TEST(Inputs, RefusesNaN) {
  std::vector<Array> arguments;
  arguments.push_back(makeArray(Element::F32, {3}, {1, 2, NAN}));
  EXPECT_EQ(llvm::toString(refuseNaN(arguments, "x.npz")),
            "x.npz: arg0 has a NaN, element 2 of f32[3]");
}

TEST(Inputs, Random) {
  std::vector<Array> a = take(randomArguments(makeStep(), 7, {}));
  std::vector<Array> b = take(randomArguments(makeStep(), 7, {}));
  std::vector<Array> c = take(randomArguments(makeStep(), 8, {}));
  EXPECT_EQ(valuesOf(a[0]), valuesOf(b[0]));
  EXPECT_NE(valuesOf(a[0]), valuesOf(c[0]));
  IntRange all = take(parseIntRange("2..5"));
  IntRange one = take(parseIntRange("1:-3..4"));
  // The argument's own range counts, wherever it stands.
  for (const std::vector<IntRange> &ranges :
       std::vector<std::vector<IntRange>>{{one, all}, {all, one}}) {
    std::vector<double> values =
        valuesOf(take(randomArguments(makeStep(), 7, ranges))[1]);
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), 4);
  }
}

TEST(Inputs, RangeErrors) {
  for (const char *text : {"", "3", "5..2", "a..b", "x:1..2", "1:2"})
    EXPECT_EQ(messageOf(parseIntRange(text)),
              std::string("--int-range takes LOW..HIGH or "
                          "ARGUMENT:LOW..HIGH, not '") +
                  text + "'");
  IntRange floats = take(parseIntRange("0:1..2"));
  EXPECT_EQ(messageOf(randomArguments(makeStep(), 0, floats)),
            "--int-range: argument 0 is none of integers");
  StepInterface step = makeStep();
  step.arguments[1].type.element = Element::I1;
  IntRange wide = take(parseIntRange("0..2"));
  EXPECT_EQ(messageOf(randomArguments(step, 0, wide)),
            "--int-range: 0..2 does not fit argument 1 of i1");
}

TEST(Inputs, BatchErrors) {
  TestFile file("npz");
  auto message = [&](llvm::ArrayRef<NamedArray> arrays) {
    llvm::consumeError(writeNpz(file.path, arrays));
    NpzReader reader = take(NpzReader::open(file.path));
    std::string text = messageOf(Batches::read(reader, makeStep()));
    return text.empty() ? "" : text.substr(file.path.size());
  };
  Array flat = makeArray(Element::F32, {2}, {1, 2});
  Array three = makeArray(Element::F32, {3, 2}, {1, 2, 3, 4, 5, 6});
  Array four = makeArray(Element::I64, {4, 1000}, {});
  EXPECT_EQ(message({{"arg0", flat}}),
            ": arg0 is f32[2], the step takes bf16[2,2]");
  EXPECT_EQ(message({{"arg0", three}, {"arg1", four}}),
            ": arg1 has 4 batches, another array 3");
  EXPECT_EQ(message({{"other", three}}),
            ": has no batches: arrays argI with a dimension more than the "
            "step's argument I");
  EXPECT_EQ(message({{"arg0", three}}), "");
}

TEST(Arena, Patterns) {
  Arena arena = take(Arena::create(1000));
  EXPECT_EQ(arena.endOfOtherThan(0), 0);
  arena.data()[700] = 1;
  EXPECT_EQ(arena.endOfOtherThan(0), 701);
  arena.release();
  EXPECT_EQ(arena.endOfOtherThan(0), 0);
  arena.fill(0xFF);
  EXPECT_EQ(arena.endOfOtherThan(0xFF), 0);
  EXPECT_EQ(arena.endOfOtherThan(0), 1000);
}

// The bytes wanted and available are both named.
TEST(Arena, TooLarge) {
  std::string message = messageOf(Arena::create(int64_t(1) << 60, 5));
  EXPECT_EQ(message.find("the step needs an arena of 1152921504606846976 bytes "
                         "and 5 bytes of arguments; the machine has "),
            0u)
      << message;
}

TEST(ObjectCache, StoresAndRefusesDamage) {
  TestFile file("folder");
  llvm::sys::fs::remove(file.path);
  ObjectCache cache(file.path, {"text", "options"});
  // Parts do not run together.
  EXPECT_NE(cache.path(), ObjectCache(file.path, {"texto", "ptions"}).path());
  EXPECT_EQ(cache.load(), nullptr);
  cache.store("the object");
  ASSERT_NE(cache.load(), nullptr);
  EXPECT_EQ(cache.load()->getBuffer(), "the object");
  std::ofstream(cache.path(), std::ios::app) << "x";
  EXPECT_EQ(cache.load(), nullptr);
  std::ofstream(cache.path()) << "short";
  EXPECT_EQ(cache.load(), nullptr);
  cache.store("the object");
  EXPECT_NE(cache.load(), nullptr);
  llvm::sys::fs::remove_directories(file.path);
}
