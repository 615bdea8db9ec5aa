//===- CompareTest.cpp - results against references -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Compare.h"
#include "TestFiles.h"

using namespace memopt::run;

static std::vector<Check> compare(llvm::ArrayRef<NamedArray> file,
                                  llvm::ArrayRef<ArrayView> results,
                                  double rtol = 1e-5) {
  TestFile path("npz");
  llvm::consumeError(writeNpz(path.path, file));
  NpzReader reader = take(NpzReader::open(path.path));
  return take(compareResults(results, reader, rtol));
}

// 1e-5 of the float64 norm, which is 5 here.
TEST(Compare, RelativeToDouble) {
  Array exact = makeArray(Element::F64, {2}, {3, 4});
  Array near = makeArray(Element::F64, {2}, {3, 4 + 4.9e-5});
  Array far = makeArray(Element::F64, {2}, {3, 4 + 5.1e-5});
  std::vector<Check> checks =
      compare({{"res64_0", exact}, {"res64_1", exact}}, {near, far});
  EXPECT_DOUBLE_EQ(checks[0].reference, 5);
  EXPECT_NEAR(checks[0].relative(), 0.98e-5, 1e-10);
  EXPECT_TRUE(checks[0].ok());
  EXPECT_FALSE(checks[1].ok());
  EXPECT_EQ(worst(checks)->result, 1u);
}

// A gradient that is zero in exact arithmetic: four times the framework's
// error.
TEST(Compare, FourTimesTheFrameworksError) {
  Array exact = makeArray(Element::F64, {1}, {0});
  Array own = makeArray(Element::F32, {1}, {0x1p-20});
  Array four = makeArray(Element::F32, {1}, {0x1p-18});
  Array more = makeArray(Element::F32, {1}, {0x1.1p-18});
  std::vector<Check> checks = compare(
      {{"res0", own}, {"res64_0", exact}, {"res1", own}, {"res64_1", exact}},
      {four, more});
  EXPECT_TRUE(checks[0].ok());
  EXPECT_FALSE(checks[1].ok());
  EXPECT_TRUE(std::isinf(checks[0].relative()));
  EXPECT_EQ(checks[0].share(), 1);
}

// Without float64: a floor of a hundredth of the largest norm, 1000.
TEST(Compare, FloorWithoutDouble) {
  Array large = makeArray(Element::F32, {1}, {1000});
  Array small = makeArray(Element::F32, {1}, {0});
  Array near = makeArray(Element::F64, {1}, {0.9e-4});
  Array far = makeArray(Element::F64, {1}, {1.1e-4});
  std::vector<Check> checks = compare(
      {{"res0", large}, {"res1", small}, {"res2", small}}, {large, near, far});
  EXPECT_TRUE(checks[0].ok());
  EXPECT_EQ(checks[0].relative(), 0);
  EXPECT_TRUE(checks[1].ok());
  EXPECT_FALSE(checks[2].ok());
}

TEST(Compare, NaNIsWrong) {
  Array reference = makeArray(Element::F32, {1}, {1});
  Array nan = makeArray(Element::F32, {1}, {NAN});
  Array off = makeArray(Element::F32, {1}, {100});
  std::vector<Check> checks =
      compare({{"res0", reference}, {"res1", reference}, {"res2", reference}},
              {off, nan, off});
  EXPECT_FALSE(checks[1].ok());
  EXPECT_EQ(worst(checks)->result, 1u);
}

TEST(Compare, Errors) {
  TestFile path("npz");
  Array one = makeArray(Element::F32, {1}, {1});
  Array two = makeArray(Element::F32, {2}, {1, 2});
  llvm::consumeError(writeNpz(path.path, {{"res0", one}}));
  NpzReader reader = take(NpzReader::open(path.path));
  EXPECT_EQ(messageOf(compareResults({one, one}, reader, 1e-5)),
            path.path + ": has no array res1");
  EXPECT_EQ(messageOf(compareResults({two}, reader, 1e-5)),
            path.path + ": res0 is f32[1], the step's result is f32[2]");
}
