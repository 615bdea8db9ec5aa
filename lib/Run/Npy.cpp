//===- Npy.cpp - the header of a .npy file --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Npy.h"
#include "llvm/ADT/StringExtras.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static constexpr StringRef kMagic("\x93NUMPY", 6);

static uint32_t littleEndian(StringRef bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | uint8_t(bytes[i]);
  return value;
}

Expected<int64_t> memopt::run::npyDataOffset(StringRef prefix) {
  if (prefix.size() < size_t(kNpyPrefix) || !prefix.starts_with(kMagic))
    return makeError("it does not begin as a .npy file does");
  int major = uint8_t(prefix[6]);
  if (major < 1 || major > 3)
    return makeError("its .npy version %d is unknown: 1, 2 and 3 are read",
                     major);
  int64_t lengthBytes = major == 1 ? 2 : 4;
  int64_t length = littleEndian(prefix.substr(8, lengthBytes));
  if (length > kMaxNpyHeader)
    return makeError("its .npy header of %lld bytes is too long",
                     (long long)length);
  return 8 + lengthBytes + length;
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

namespace {

/// A reader of the subset of Python's literals that NumPy writes.
class Literal {
public:
  explicit Literal(StringRef text) : rest(text) {}

  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  /// 'text' or "text".
  std::optional<StringRef> string() {
    rest = rest.ltrim();
    if (!rest.starts_with("'") && !rest.starts_with("\""))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef found = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return found;
  }

  std::optional<bool> boolean() {
    if (consume("True"))
      return true;
    if (consume("False"))
      return false;
    return std::nullopt;
  }

  /// (), (n,), (n, m), ...
  std::optional<llvm::SmallVector<int64_t, 4>> tuple() {
    llvm::SmallVector<int64_t, 4> sizes;
    if (!consume("("))
      return std::nullopt;
    while (!consume(")")) {
      int64_t size;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size < 0)
        return std::nullopt;
      rest.consume_front("L"); // as Python 2 wrote them
      sizes.push_back(size);
      if (!consume(",") && !rest.ltrim().starts_with(")"))
        return std::nullopt;
    }
    return sizes;
  }

private:
  StringRef rest;
};

struct Dictionary {
  std::optional<StringRef> descr;
  std::optional<bool> fortranOrder;
  std::optional<llvm::SmallVector<int64_t, 4>> shape;
};

} // namespace

/// False where `text` is no such dictionary. A descr that is no string (a
/// structured type) is left out.
static bool parseDictionary(StringRef text, Dictionary &dictionary) {
  Literal literal(text);
  if (!literal.consume("{"))
    return false;
  while (!literal.consume("}")) {
    std::optional<StringRef> key = literal.string();
    if (!key || !literal.consume(":"))
      return false;
    if (*key == "descr") {
      dictionary.descr = literal.string();
      // The caller says that the type is none that is read.
      if (!dictionary.descr)
        return true;
    } else if (*key == "fortran_order") {
      if (!(dictionary.fortranOrder = literal.boolean()))
        return false;
    } else if (*key == "shape") {
      if (!(dictionary.shape = literal.tuple()))
        return false;
    } else {
      return false;
    }
    literal.consume(",");
  }
  return dictionary.fortranOrder && dictionary.shape;
}

static std::optional<Element> parseDescr(StringRef descr) {
  struct Known {
    StringRef descr;
    Element element;
  };
  static const Known known[] = {
      {"<f8", Element::F64},  {"<f4", Element::F32},  {"<f2", Element::F16},
      {"<V2", Element::BF16}, {"|V2", Element::BF16}, {"|b1", Element::I1},
      {"|i1", Element::I8},   {"|u1", Element::I8},   {"<i2", Element::I16},
      {"<u2", Element::I16},  {"<i4", Element::I32},  {"<u4", Element::I32},
      {"<i8", Element::I64},  {"<u8", Element::I64}};
  for (const Known &entry : known)
    if (entry.descr == descr)
      return entry.element;
  return std::nullopt;
}

static StringRef printDescr(Element element) {
  switch (element) {
  case Element::F64:
    return "<f8";
  case Element::F32:
    return "<f4";
  case Element::F16:
    return "<f2";
  case Element::BF16:
    return "<V2";
  case Element::I1:
    return "|b1";
  case Element::I8:
    return "|i1";
  case Element::I16:
    return "<i2";
  case Element::I32:
    return "<i4";
  case Element::I64:
    return "<i8";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

Expected<NpyHeader> memopt::run::parseNpyHeader(StringRef text) {
  Expected<int64_t> offset = npyDataOffset(text);
  if (!offset)
    return offset.takeError();
  if (int64_t(text.size()) < *offset)
    return makeError("its .npy header is cut short");
  bool isFirstVersion = text[6] == 1;
  Dictionary dictionary;
  if (!parseDictionary(text.slice(isFirstVersion ? 10 : 12, *offset),
                       dictionary))
    return makeError("its .npy header cannot be read");
  if (!dictionary.descr)
    return makeError("its dtype is structured: arrays of numbers are read");
  std::optional<Element> element = parseDescr(*dictionary.descr);
  if (!element)
    return makeError("its dtype '%s' is none of those that are read: float16, "
                     "float32, float64, bool, integers, and two-byte voids for "
                     "bfloat16, all little endian",
                     dictionary.descr->str().c_str());
  NpyHeader header;
  header.type = {*element, *dictionary.shape};
  header.fortranOrder = *dictionary.fortranOrder;
  header.dataOffset = *offset;
  if (!checkedByteSize(header.type))
    return makeError("its shape is too large");
  return header;
}

std::string memopt::run::printNpyHeader(const TensorType &type) {
  std::string shape;
  for (int64_t size : type.shape)
    shape += std::to_string(size) + ", ";
  // A tuple of one keeps its comma.
  if (type.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (type.shape.size() == 1)
    shape.pop_back();
  std::string text = ("{'descr': '" + printDescr(type.element) +
                      "', 'fortran_order': False, 'shape': (" + shape + "), }")
                         .str();
  // Magic, version and length take 10 bytes; the last byte is a newline.
  size_t total = llvm::alignTo(10 + text.size() + 1, 64);
  text.append(total - 10 - text.size() - 1, ' ');
  text += '\n';
  std::string header = kMagic.str() + std::string("\x01\x00", 2);
  header += char(text.size() & 255);
  header += char(text.size() >> 8);
  return header + text;
}
