//===- NpyTest.cpp - headers of .npy files --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Npy.h"
#include <gtest/gtest.h>

using namespace memopt::run;

/// A header of the given version around a dictionary.
static std::string header(int version, const std::string &dictionary) {
  std::string text = "\x93NUMPY";
  text += char(version);
  text += '\0';
  text += char(dictionary.size() & 255);
  text += char(dictionary.size() >> 8);
  if (version > 1)
    text += std::string(2, '\0');
  return text + dictionary;
}

static std::string message(const std::string &text) {
  llvm::Expected<NpyHeader> parsed = parseNpyHeader(text);
  return parsed ? "" : llvm::toString(parsed.takeError());
}

static const char kPlain[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

TEST(Npy, Versions) {
  for (int version : {1, 2, 3}) {
    std::string text = header(version, kPlain);
    llvm::Expected<NpyHeader> parsed = parseNpyHeader(text);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(toString(parsed->type), "f32[2,3]");
    EXPECT_FALSE(parsed->fortranOrder);
    EXPECT_EQ(parsed->dataOffset, int64_t(text.size()));
  }
}

// Keys in any order, double quotes, Python 2's long numbers, a scalar's shape.
TEST(Npy, Spellings) {
  std::string text =
      header(1, "{\"shape\":(7L,),'fortran_order':True,  \"descr\": \"|b1\"}");
  llvm::Expected<NpyHeader> parsed = parseNpyHeader(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  EXPECT_EQ(toString(parsed->type), "i1[7]");
  EXPECT_TRUE(parsed->fortranOrder);
  parsed = parseNpyHeader(
      header(1, "{'descr': '<i8', 'fortran_order': False, 'shape': ()}"));
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(toString(parsed->type), "i64[]");
}

// What is printed is read back, whatever the rank, and data begin at 64 bytes.
TEST(Npy, RoundTrip) {
  for (TensorType type :
       {TensorType{Element::F64, {}}, TensorType{Element::I8, {0}},
        TensorType{Element::F16, {5}},
        TensorType{Element::I16, {1, 2, 3, 4, 5, 6, 7}}}) {
    std::string text = printNpyHeader(type);
    EXPECT_EQ(text.size() % 64, 0u);
    llvm::Expected<NpyHeader> parsed = parseNpyHeader(text);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(parsed->type, type);
    EXPECT_EQ(parsed->dataOffset, int64_t(text.size()));
  }
}

TEST(Npy, Errors) {
  EXPECT_EQ(message(""), "it does not begin as a .npy file does");
  EXPECT_EQ(message("PNG, and more than twelve bytes"),
            "it does not begin as a .npy file does");
  EXPECT_EQ(message(header(4, kPlain)),
            "its .npy version 4 is unknown: 1, 2 and 3 are read");
  EXPECT_EQ(message(header(1, kPlain).substr(0, 30)),
            "its .npy header is cut short");
  std::string long_ = header(2, kPlain);
  long_[10] = '\x7F';
  EXPECT_EQ(message(long_).find("its .npy header of "), 0u);
  EXPECT_EQ(message(header(1, "{'descr': '<f4'}")),
            "its .npy header cannot be read");
  EXPECT_EQ(message(header(1, "{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (2, -3)}")),
            "its .npy header cannot be read");
  EXPECT_EQ(message(header(1, "{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (4611686018427387904, 4)}")),
            "its shape is too large");
  EXPECT_EQ(message(header(1, "{'descr': [('a', '<f4')], 'fortran_order': "
                              "False, 'shape': (2,)}")),
            "its dtype is structured: arrays of numbers are read");
  EXPECT_EQ(message(header(1, "{'descr': '>f4', 'fortran_order': False, "
                              "'shape': (2,)}"))
                .find("its dtype '>f4' is none of those that are read"),
            0u);
}
