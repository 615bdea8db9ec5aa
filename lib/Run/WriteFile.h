//===- WriteFile.h - a file that appears whole ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUN_WRITEFILE_H
#define MEMOPT_LIB_RUN_WRITEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace memopt::run {

/// Writes the parts one after the other to a temporary file beside `path` and
/// renames it. On an error (a full disk) nothing is left.
/// (llvm::writeToOutput ends the process there.)
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::ArrayRef<llvm::StringRef> parts);

} // namespace memopt::run

#endif // MEMOPT_LIB_RUN_WRITEFILE_H
