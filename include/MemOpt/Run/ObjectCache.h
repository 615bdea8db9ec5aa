//===- ObjectCache.h - compiled steps on disk -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_OBJECTCACHE_H
#define MEMOPT_RUN_OBJECTCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace memopt::run {

/// The folder for cached objects: $XDG_CACHE_HOME/mem-opt, else
/// $HOME/.cache/mem-opt; empty where neither is set.
std::string defaultCacheFolder();

/// Identifies the running program: the build id that the linker computed of its
/// contents. Empty where it has none, and then nothing may be cached.
std::string programBuildId();

/// Object files named by the hash of all that determines them. An entry that
/// cannot be read, is cut short or was changed counts as absent; a folder that
/// cannot be written makes the cache useless, never wrong.
class ObjectCache {
public:
  /// `parts` are hashed with their lengths, so that they cannot run together.
  ObjectCache(std::string folder, llvm::ArrayRef<llvm::StringRef> parts);

  /// The object; null where there is none.
  std::unique_ptr<llvm::MemoryBuffer> load() const;
  /// Writes the object, in one step for other processes.
  void store(llvm::StringRef object) const;

  const std::string &path() const { return file; }

private:
  std::string file;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_OBJECTCACHE_H
