//===- BlasLt.cpp - cuBLASLt, loaded while the program runs ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlasLt.h"
#include "Driver.h"

#include <dlfcn.h>

using namespace memopt::cuda;

std::string BlasLt::load() {
  // What is called here is the same in all of these versions.
  static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                      "libcublasLt.so"};
  std::string why;
  void *handle = openLibrary("MEMOPT_LIBCUBLASLT", names, 3, why);
  if (!handle)
    return "no cuBLASLt: " + why;
#define MEMOPT_FIND(function)                                                  \
  function = reinterpret_cast<decltype(function)>(dlsym(handle, #function));   \
  if (!function)                                                               \
    return "cuBLASLt is too old: it has no " #function;
  MEMOPT_BLASLT_FUNCTIONS(MEMOPT_FIND)
#undef MEMOPT_FIND
  return "";
}

std::string BlasLt::describe(const std::string &what,
                             cublasStatus_t status) const {
  const char *text = cublasLtGetStatusString(status);
  return what + ": " + (text ? text : std::to_string(int(status)));
}
