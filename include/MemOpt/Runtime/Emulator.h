/*===- Emulator.h - what only the emulator tells ------------------*- C -*-===*\
|*                                                                            *|
|* Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Beside the entry points of Gpu.h, in libmemopt_emulator_runtime.so alone.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MEMOPT_RUNTIME_EMULATOR_H
#define MEMOPT_RUNTIME_EMULATOR_H

#include "MemOpt/Runtime/Gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of device memory that the threads of a kernel's launches accessed. */
struct memopt_emulator_bytes {
  int64_t launches;
  int64_t loaded, stored; /* by each access */
  /* Different bytes, launch by launch. */
  int64_t read, written;
  /* Loaded again by the one thread of a launch that loads them at all: what a
     thread read, did not keep, and must fetch once more. What several threads
     load is not in it, since caches are made for that. */
  int64_t reread;
};

typedef void (*memopt_emulator_bytes_visitor)(
    void *data, const char *kernel, const struct memopt_emulator_bytes *bytes);

/* Of each kernel since the last call, in the order of first launch. Only with
   the options `count-bytes`, off by default, and `checks`. */
MEMOPT_GPU_EXPORT void
memopt_emulator_visit_bytes(memopt_emulator_bytes_visitor visit, void *data);

#ifdef __cplusplus
}
#endif

#endif /* MEMOPT_RUNTIME_EMULATOR_H */
