//===- WriteFile.cpp - a file that appears whole --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteFile.h"
#include "MemOpt/Run/Array.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace memopt::run;
using llvm::Error;

static Error writeError(llvm::StringRef path, const std::string &what) {
  return makeError("%s: cannot be written: %s", path.str().c_str(),
                   what.c_str());
}

static std::error_code writeParts(int file,
                                  llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::raw_fd_ostream out(file, /*shouldClose=*/false);
  for (llvm::StringRef part : parts)
    out << part;
  out.flush();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

Error memopt::run::writeWholeFile(llvm::StringRef path,
                                  llvm::ArrayRef<llvm::StringRef> parts) {
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return writeError(path, llvm::toString(file.takeError()));
  if (std::error_code code = writeParts(file->FD, parts)) {
    llvm::consumeError(file->discard());
    return writeError(path, code.message());
  }
  if (Error error = file->keep(path))
    return writeError(path, llvm::toString(std::move(error)));
  return Error::success();
}
