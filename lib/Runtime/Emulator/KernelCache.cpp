//===- KernelCache.cpp - compiled kernels on disk -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace memopt::emulator;
using namespace llvm;

static constexpr size_t kDigestBytes = 32;

static std::string digest(StringRef text) {
  auto hash = SHA256::hash(arrayRefFromStringRef(text));
  return std::string(hash.begin(), hash.end());
}

std::string KernelCache::getPath(const Module &module) const {
  std::string text = target + LLVM_VERSION_STRING;
  raw_string_ostream stream(text);
  WriteBitcodeToFile(module, stream);
  SmallString<128> path(folder);
  sys::path::append(
      path, toHex(digest(text), /*LowerCase=*/true).substr(0, 40) + ".kernels");
  return path.str().str();
}

/// A folder that cannot be written makes the cache useless, never wrong.
void KernelCache::notifyObjectCompiled(const Module *module,
                                       MemoryBufferRef object) {
  if (folder.empty() || sys::fs::create_directories(folder))
    return;
  auto file = sys::fs::TempFile::create(getPath(*module) + ".%%%%%%%%");
  if (!file) {
    consumeError(file.takeError());
    return;
  }
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << digest(object.getBuffer()) << object.getBuffer();
  stream.flush();
  bool isWhole = !stream.has_error();
  stream.clear_error();
  consumeError(isWhole ? file->keep(getPath(*module)) : file->discard());
}

std::unique_ptr<MemoryBuffer> KernelCache::getObject(const Module *module) {
  if (folder.empty())
    return nullptr;
  auto read = MemoryBuffer::getFile(getPath(*module), /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!read || (*read)->getBufferSize() < kDigestBytes)
    return nullptr;
  StringRef object = (*read)->getBuffer().drop_front(kDigestBytes);
  if (digest(object) != (*read)->getBuffer().take_front(kDigestBytes))
    return nullptr;
  return MemoryBuffer::getMemBufferCopy(object, "kernels");
}
