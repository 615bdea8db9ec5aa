//===- ProcFile.h - numbers that the kernel reports -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUN_PROCFILE_H
#define MEMOPT_LIB_RUN_PROCFILE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace memopt::run {

/// The whole number after `field` at the beginning of a line of the file; none
/// where file or field is absent or no number follows.
std::optional<int64_t> readProcField(const char *file, llvm::StringRef field);

} // namespace memopt::run

#endif // MEMOPT_LIB_RUN_PROCFILE_H
