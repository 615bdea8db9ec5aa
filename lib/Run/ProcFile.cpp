//===- ProcFile.cpp - numbers that the kernel reports ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcFile.h"
#include <fstream>
#include <string>

std::optional<int64_t> memopt::run::readProcField(const char *file,
                                                  llvm::StringRef field) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    llvm::StringRef rest(line);
    int64_t value;
    if (rest.consume_front(field) && !rest.ltrim().consumeInteger(10, value))
      return value;
  }
  return std::nullopt;
}
