//===- ObjectCache.cpp - compiled steps on disk ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/ObjectCache.h"
#include "WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include <elf.h>
#include <link.h>

using namespace memopt::run;
using llvm::StringRef;

/// Before each entry, followed by the SHA-256 of the object.
static constexpr StringRef kMagic = "mem-opt object 1\n";
static constexpr size_t kHashBytes = 32;

std::string memopt::run::defaultCacheFolder() {
  llvm::SmallString<128> folder;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    folder = cache;
  else if (const char *home = std::getenv("HOME"); home && *home) {
    folder = home;
    llvm::sys::path::append(folder, ".cache");
  } else {
    return "";
  }
  llvm::sys::path::append(folder, "mem-opt");
  return folder.str().str();
}

/// The GNU build id among the notes of one loaded segment.
static std::string findBuildId(const char *notes, size_t bytes) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes + at);
    size_t name = at + sizeof(*note),
           text = name + ((note->n_namesz + 3) & ~3u);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
      return llvm::toHex(StringRef(notes + text, note->n_descsz));
    at = text + ((note->n_descsz + 3) & ~3u);
  }
  return "";
}

std::string memopt::run::programBuildId() {
  std::string id;
  // The first object that is visited is the program.
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE)
            continue;
          auto *notes =
              reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr);
          std::string found = findBuildId(notes, segment.p_memsz);
          if (!found.empty())
            *static_cast<std::string *>(data) = found;
        }
        return 1;
      },
      &id);
  return id;
}

static std::string hash(llvm::ArrayRef<StringRef> parts) {
  llvm::SHA256 sha;
  for (StringRef part : parts) {
    sha.update(std::to_string(part.size()) + ":");
    sha.update(part);
  }
  return llvm::toHex(sha.final(), /*LowerCase=*/true);
}

static std::string digest(StringRef text) {
  std::array<uint8_t, kHashBytes> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return std::string(hash.begin(), hash.end());
}

ObjectCache::ObjectCache(std::string folder, llvm::ArrayRef<StringRef> parts) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, hash(parts).substr(0, 40) + ".o");
  file = path.str().str();
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::load() const {
  auto read = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!read)
    return nullptr;
  StringRef text = (*read)->getBuffer();
  if (!text.consume_front(kMagic) || text.size() < kHashBytes)
    return nullptr;
  StringRef object = text.drop_front(kHashBytes);
  if (digest(object) != text.take_front(kHashBytes))
    return nullptr;
  // A copy, which is aligned as the linker wants it.
  return llvm::MemoryBuffer::getMemBufferCopy(object, file);
}

void ObjectCache::store(StringRef object) const {
  StringRef folder = llvm::sys::path::parent_path(file);
  if (llvm::sys::fs::create_directories(folder))
    return;
  llvm::consumeError(writeWholeFile(file, {kMagic, digest(object), object}));
}
