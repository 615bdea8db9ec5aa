//===- LoadStep.cpp - a step from a file, compiled ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/LoadStep.h"
#include "LowerStep.h"
#include "MemOpt/Run/CompileObject.h"
#include "MemOpt/Run/ObjectCache.h"
#include "WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

static Expected<Buffer> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return std::move(*buffer);
  bool isAbsent = buffer.getError() == std::errc::no_such_file_or_directory;
  return makeError("%s: %s", path.str().c_str(),
                   isAbsent ? "no such file"
                            : buffer.getError().message().c_str());
}

static Error atFile(StringRef path, Error error) {
  return makeError("%s: %s", path.str().c_str(),
                   llvm::toString(std::move(error)).c_str());
}

/// The object for the step in `source` where it is specialized to `sizes`; null
/// where nothing is to be cached.
static std::optional<ObjectCache> findEntry(const Buffer &source,
                                            const LoadOptions &options,
                                            llvm::ArrayRef<std::string> sizes) {
  std::string build = programBuildId(), cpu = hostCpu(),
              level = std::to_string(options.level),
              pipeline = options.pipeline ? "+" + *options.pipeline : "",
              nvvm = options.nvvm ? "+" + *options.nvvm : "",
              all = llvm::join(sizes, ",");
  if (options.cacheFolder.empty() || build.empty())
    return std::nullopt;
  return ObjectCache(options.cacheFolder, {source->getBuffer(), pipeline, nvvm,
                                           all, level, cpu, build});
}

/// Compiles the parsed step, if the cache has no object for its sizes.
static Expected<Buffer> compile(LoweredStep &step, const Buffer &source,
                                const LoadOptions &options, bool &fromCache) {
  std::vector<std::string> sizes;
  if (step.isDynamic() && options.sizes) {
    Expected<std::vector<std::string>> found = options.sizes();
    if (!found)
      return found.takeError();
    sizes = std::move(*found);
  }
  std::optional<ObjectCache> cache = findEntry(source, options, sizes);
  if (Buffer object = cache && !sizes.empty() ? cache->load() : nullptr) {
    fromCache = true;
    return object;
  }
  if (Error error = step.lower(options.pipeline, options.nvvm, sizes))
    return error;
  Expected<Buffer> object = compileObject(step.module(), options.level);
  if (object && cache)
    cache->store((*object)->getBuffer());
  return object;
}

/// The object of the step in `source`, from the cache where it is there. A
/// step of static shapes is not even parsed then.
static Expected<Buffer> getObject(const Buffer &source, StringRef path,
                                  const LoadOptions &options, bool &fromCache) {
  std::optional<ObjectCache> cache = findEntry(source, options, {});
  if (Buffer object = cache ? cache->load() : nullptr) {
    fromCache = true;
    return object;
  }
  // Owns the context that the module lives in.
  LoweredStep lowered;
  if (Error error = lowered.parse(source->getMemBufferRef()))
    return atFile(path, std::move(error));
  Expected<Buffer> object = compile(lowered, source, options, fromCache);
  return object ? std::move(object) : atFile(path, object.takeError());
}

static Expected<LoadedStep> loadObject(Buffer object, StringRef path) {
  Expected<CompiledStep> step = CompiledStep::fromObject(std::move(object));
  if (!step)
    return makeError("%s: %s", path.str().c_str(),
                     llvm::toString(step.takeError()).c_str());
  return LoadedStep{std::move(*step)};
}

static Expected<LoadedStep> compileAndLoad(const Buffer &source, StringRef path,
                                           const LoadOptions &options) {
  auto start = std::chrono::steady_clock::now();
  bool fromCache = false;
  Expected<Buffer> object = getObject(source, path, options, fromCache);
  if (!object)
    return object.takeError();
  if (!options.saveObject.empty())
    if (Error error =
            writeWholeFile(options.saveObject, (*object)->getBuffer()))
      return error;
  Expected<LoadedStep> loaded = loadObject(std::move(*object), path);
  if (!loaded)
    return loaded;
  loaded->compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  loaded->fromCache = fromCache;
  return loaded;
}

Expected<LoadedStep> memopt::run::loadStep(StringRef path,
                                           const LoadOptions &options) {
  Expected<Buffer> source = readFile(path);
  if (!source)
    return source.takeError();
  switch (llvm::identify_magic((*source)->getBuffer())) {
  case llvm::file_magic::elf_relocatable:
    return loadObject(std::move(*source), path);
  case llvm::file_magic::elf_shared_object: {
    Expected<CompiledStep> step = CompiledStep::fromLibrary(path);
    if (!step)
      return step.takeError();
    return LoadedStep{std::move(*step)};
  }
  case llvm::file_magic::elf:
  case llvm::file_magic::elf_executable:
  case llvm::file_magic::elf_core:
    return makeError("%s: is no object file, shared library or MLIR",
                     path.str().c_str());
  default:
    return compileAndLoad(*source, path, options);
  }
}
