//===- Npz.cpp - arrays in a .npz file ------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Npz.h"
#include "MemOpt/Run/Npy.h"
#include "llvm/Support/FileSystem.h"
#include <zip.h>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error fileError(StringRef path, const Twine &what) {
  return makeError("%s: %s", path.str().c_str(), what.str().c_str());
}

void NpzReader::Close::operator()(zip *archive) const { zip_discard(archive); }

Expected<NpzReader> NpzReader::open(StringRef path) {
  NpzReader reader;
  reader.file = path.str();
  int code = 0;
  reader.archive.reset(zip_open(reader.file.c_str(), ZIP_RDONLY, &code));
  if (reader.archive)
    return reader;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string what = zip_error_strerror(&error);
  zip_error_fini(&error);
  bool isAbsent = code == ZIP_ER_NOENT;
  return fileError(path, isAbsent ? "no such file"
                                  : "cannot be read as a .npz: " + what);
}

bool NpzReader::has(StringRef name) const {
  return zip_name_locate(archive.get(), (name + ".npy").str().c_str(), 0) >= 0;
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> all;
  for (int64_t i = 0, e = zip_get_num_entries(archive.get(), 0); i < e; ++i)
    if (const char *name = zip_get_name(archive.get(), i, 0)) {
      StringRef stem(name);
      stem.consume_back(".npy");
      all.push_back(stem.str());
    }
  return all;
}

namespace {

/// One entry of an archive, read from its beginning to its end.
class Entry {
public:
  Entry(zip *archive, zip_uint64_t index)
      : file(zip_fopen_index(archive, index, 0)), archive(archive) {}
  ~Entry() {
    if (file)
      zip_fclose(file);
  }
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  std::string openError() const { return file ? "" : zip_strerror(archive); }

  /// Reads `bytes` to `to`; returns what went wrong, or an empty string.
  std::string read(char *to, int64_t bytes) {
    while (bytes > 0) {
      zip_int64_t got = zip_fread(file, to, bytes);
      if (got < 0)
        return zip_file_strerror(file);
      if (got == 0)
        return "it is cut short";
      to += got;
      bytes -= got;
    }
    return "";
  }

  /// Reads past the end, where the archive compares its checksum.
  std::string finish() {
    char more;
    zip_int64_t got = zip_fread(file, &more, 1);
    return got < 0 ? zip_file_strerror(file)
                   : (got ? "it is longer than its shape says" : "");
  }

private:
  zip_file_t *file;
  zip *archive;
};

} // namespace

/// `from` in column-major order, to row-major order.
static void transposeFortran(const Array &from, Array &to) {
  const TensorType &type = from.type();
  int64_t width = byteSize(type.element), rank = type.shape.size();
  llvm::SmallVector<int64_t> index(rank, 0), stride(rank, 1);
  for (int64_t d = 1; d < rank; ++d)
    stride[d] = stride[d - 1] * type.shape[d - 1];
  for (int64_t i = 0, e = from.size(); i < e; ++i) {
    int64_t source = 0;
    for (int64_t d = 0; d < rank; ++d)
      source += index[d] * stride[d];
    std::memcpy(to.data() + i * width, from.data() + source * width, width);
    for (int64_t d = rank; d-- > 0 && ++index[d] == type.shape[d];)
      index[d] = 0;
  }
}

/// Reads header and data of an entry whose size the archive says is `size`.
static Expected<Array> readEntry(Entry &entry, int64_t size) {
  std::string text(kNpyPrefix, '\0');
  if (std::string what = entry.read(text.data(), kNpyPrefix); !what.empty())
    return makeError("%s", what.c_str());
  Expected<int64_t> offset = npyDataOffset(text);
  if (!offset)
    return offset.takeError();
  text.resize(std::max(*offset, kNpyPrefix));
  std::string what =
      entry.read(text.data() + kNpyPrefix, text.size() - kNpyPrefix);
  if (!what.empty())
    return makeError("%s", what.c_str());
  Expected<NpyHeader> header = parseNpyHeader(text);
  if (!header)
    return header.takeError();
  // Before memory for the data is asked for: a damaged header may say anything.
  int64_t bytes = *checkedByteSize(header->type);
  if (size - header->dataOffset != bytes)
    return makeError("it has %lld bytes of data, its shape %s takes %lld",
                     (long long)(size - header->dataOffset),
                     toString(header->type).c_str(), (long long)bytes);
  Expected<Array> array = Array::allocate(header->type);
  if (!array)
    return array;
  if (what = entry.read(array->data(), bytes); what.empty())
    what = entry.finish();
  if (!what.empty())
    return makeError("%s", what.c_str());
  if (!header->fortranOrder || header->type.shape.size() < 2)
    return array;
  Expected<Array> rowMajor = Array::allocate(header->type);
  if (rowMajor)
    transposeFortran(*array, *rowMajor);
  return rowMajor;
}

Expected<Array> NpzReader::read(StringRef name) const {
  std::string entryName = (name + ".npy").str();
  zip_int64_t index = zip_name_locate(archive.get(), entryName.c_str(), 0);
  if (index < 0)
    return fileError(file, "has no array " + name);
  zip_stat_t stat;
  if (zip_stat_index(archive.get(), index, 0, &stat) ||
      !(stat.valid & ZIP_STAT_SIZE))
    return fileError(file, name + ": " + zip_strerror(archive.get()));
  Entry entry(archive.get(), index);
  if (std::string what = entry.openError(); !what.empty())
    return fileError(file, name + ": " + what);
  Expected<Array> array = readEntry(entry, stat.size);
  if (!array)
    return fileError(file, name + ": " + llvm::toString(array.takeError()));
  return array;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Adds header and data as one uncompressed entry; neither is copied.
static bool addEntry(zip *archive, const std::string &header,
                     const NamedArray &entry, const ArrayView &array) {
  zip_buffer_fragment_t parts[2];
  parts[0].data =
      reinterpret_cast<zip_uint8_t *>(const_cast<char *>(header.data()));
  parts[0].length = header.size();
  parts[1].data =
      reinterpret_cast<zip_uint8_t *>(const_cast<char *>(array.data));
  parts[1].length = *checkedByteSize(array.type);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *source = zip_source_buffer_fragment_create(
      parts, parts[1].length ? 2 : 1, 0, &error);
  zip_error_fini(&error);
  if (!source)
    return false;
  zip_int64_t index = zip_file_add(archive, (entry.name + ".npy").c_str(),
                                   source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  return !zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
}

static Error addEntries(zip *archive, StringRef path,
                        llvm::ArrayRef<NamedArray> arrays,
                        std::vector<std::string> &headers,
                        std::vector<Array> &widened) {
  // Reserved, so that what the archive points at stays where it is.
  headers.reserve(arrays.size());
  widened.reserve(arrays.size());
  for (const NamedArray &entry : arrays) {
    ArrayView array = entry.array;
    if (array.type.element == Element::BF16) {
      Expected<Array> wide = widenBFloat16(array);
      if (!wide)
        return wide.takeError();
      widened.push_back(std::move(*wide));
      array = widened.back();
    }
    headers.push_back(printNpyHeader(array.type));
    if (!addEntry(archive, headers.back(), entry, array))
      return fileError(path,
                       "cannot be written: " + Twine(zip_strerror(archive)));
  }
  return Error::success();
}

Error memopt::run::writeNpz(StringRef path, llvm::ArrayRef<NamedArray> arrays) {
  int code = 0;
  std::string file = path.str();
  zip *archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string what = zip_error_strerror(&error);
    zip_error_fini(&error);
    return fileError(path, "cannot be written: " + what);
  }
  std::vector<std::string> headers;
  std::vector<Array> widened;
  if (Error error = addEntries(archive, path, arrays, headers, widened)) {
    zip_discard(archive);
    return error;
  }
  // Writes to a temporary file in the same folder and renames it.
  if (zip_close(archive)) {
    std::string what = zip_strerror(archive);
    zip_discard(archive);
    return fileError(path, "cannot be written: " + what);
  }
  return Error::success();
}
