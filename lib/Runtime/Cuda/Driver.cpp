//===- Driver.cpp - the CUDA driver, loaded while the program runs --------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace memopt::cuda;

void *memopt::cuda::openLibrary(const char *variable, const char *const *names,
                                int count, std::string &why) {
  const char *chosen = std::getenv(variable);
  if (chosen && *chosen) {
    names = &chosen;
    count = 1;
  }
  for (int i = 0; i < count; ++i)
    if (void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL))
      return handle;
  why = dlerror();
  return nullptr;
}

// The name after cuda.h's renaming.
#define MEMOPT_TEXT(name) #name
#define MEMOPT_NEWEST(name) MEMOPT_TEXT(name)

std::string Driver::load() {
  static const char *const names[] = {"libcuda.so.1"};
  std::string why;
  void *handle = openLibrary("MEMOPT_LIBCUDA", names, 1, why);
  if (!handle)
    return "no NVIDIA driver: " + why;
  // A driver that is older than the headers has it under its first name, with
  // the same arguments.
  cuEventElapsedTime = reinterpret_cast<decltype(cuEventElapsedTime)>(
      dlsym(handle, "cuEventElapsedTime"));
#define MEMOPT_FIND(function)                                                  \
  if (void *found = dlsym(handle, MEMOPT_NEWEST(function)))                    \
    function = reinterpret_cast<decltype(function)>(found);                    \
  if (!function)                                                               \
    return "the NVIDIA driver is too old: it has no " MEMOPT_NEWEST(function);
  MEMOPT_CUDA_FUNCTIONS(MEMOPT_FIND)
#undef MEMOPT_FIND
  return "";
}

std::string Driver::describe(const std::string &what, CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  return what + ": " + (name ? name : std::to_string(result)) +
         (text ? std::string(", ") + text : "");
}
