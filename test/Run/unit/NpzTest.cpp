//===- NpzTest.cpp - .npz files -------------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Npz.h"
#include "TestFiles.h"
#include <fstream>

using namespace memopt::run;

TEST(Npz, RoundTrip) {
  TestFile file("npz");
  Array floats = makeArray(Element::F32, {2, 2}, {1, -2.5, 3, NAN});
  Array ids = makeArray(Element::I64, {3}, {1, -2, 3});
  Array empty = makeArray(Element::F64, {0, 4}, {});
  Array brain = makeArray(Element::BF16, {2}, {1.5, -3});
  ASSERT_FALSE(bool(writeNpz(
      file.path,
      {{"arg0", floats}, {"arg1", ids}, {"res0", empty}, {"res1", brain}})));
  NpzReader reader = take(NpzReader::open(file.path));
  EXPECT_EQ(reader.names(),
            (std::vector<std::string>{"arg0", "arg1", "res0", "res1"}));
  EXPECT_TRUE(reader.has("arg1"));
  EXPECT_FALSE(reader.has("arg2"));
  Array read = take(reader.read("arg0"));
  EXPECT_EQ(read.type(), floats.type());
  EXPECT_EQ(std::memcmp(read.data(), floats.data(), floats.bytes()), 0);
  EXPECT_EQ(valuesOf(take(reader.read("arg1"))),
            (std::vector<double>{1, -2, 3}));
  EXPECT_EQ(take(reader.read("res0")).type(), empty.type());
  // bfloat16 goes out as float32, exact.
  read = take(reader.read("res1"));
  EXPECT_EQ(toString(read.type()), "f32[2]");
  EXPECT_EQ(valuesOf(read), (std::vector<double>{1.5, -3}));
}

TEST(Npz, OpenErrors) {
  EXPECT_EQ(messageOf(NpzReader::open("no/such.npz")),
            "no/such.npz: no such file");
  TestFile file("npz");
  std::ofstream(file.path) << "this is no archive at all";
  EXPECT_EQ(messageOf(NpzReader::open(file.path)),
            file.path + ": cannot be read as a .npz: Not a zip archive");
}

TEST(Npz, MissingArray) {
  TestFile file("npz");
  Array one = makeArray(Element::F32, {1}, {1});
  ASSERT_FALSE(bool(writeNpz(file.path, {{"arg0", one}})));
  NpzReader reader = take(NpzReader::open(file.path));
  EXPECT_EQ(messageOf(reader.read("arg1")), file.path + ": has no array arg1");
}

// One bit of the data changed: the archive's checksum says so.
TEST(Npz, Damaged) {
  TestFile file("npz");
  Array values = makeArray(Element::F32, {64}, std::vector<double>(64, 1));
  ASSERT_FALSE(bool(writeNpz(file.path, {{"arg0", values}})));
  {
    std::fstream bytes(file.path,
                       std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(300);
    bytes.put('\x01');
  }
  NpzReader reader = take(NpzReader::open(file.path));
  EXPECT_EQ(messageOf(reader.read("arg0")), file.path + ": arg0: CRC error");
}

// Each cut is either no archive any more or an array that is cut short.
TEST(Npz, Truncated) {
  TestFile file("npz");
  Array values = makeArray(Element::F32, {64}, std::vector<double>(64, 1));
  ASSERT_FALSE(bool(writeNpz(file.path, {{"arg0", values}})));
  uint64_t size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(file.path, size));
  for (uint64_t cut = 1; cut < size; ++cut) {
    int descriptor;
    ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
        file.path, descriptor, llvm::sys::fs::CD_OpenExisting,
        llvm::sys::fs::OF_None));
    ASSERT_FALSE(llvm::sys::fs::resize_file(descriptor, size - cut));
    llvm::sys::fs::file_t handle =
        llvm::sys::fs::convertFDToNativeFile(descriptor);
    ASSERT_FALSE(llvm::sys::fs::closeFile(handle));
    llvm::Expected<NpzReader> reader = NpzReader::open(file.path);
    std::string message = reader ? messageOf(reader->read("arg0"))
                                 : llvm::toString(reader.takeError());
    EXPECT_NE(message, "") << "cut by " << cut;
  }
}

TEST(Npz, WriteErrors) {
  Array one = makeArray(Element::F32, {1}, {1});
  llvm::Error error = writeNpz("no/such/folder/out.npz", {{"res0", one}});
  EXPECT_NE(llvm::toString(std::move(error))
                .find("no/such/folder/out.npz: cannot be written: "),
            std::string::npos);
}
