/*===- Cpu.h - what generated CPU code calls ----------------------*- C -*-===*\
|*                                                                            *|
|* Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The interface of libmemopt_cpu_runtime.so: parallel loops and matrix       *|
|* products. Work is divided by shape and never by the number of threads, so  *|
|* that a step gives the same bits on any number of them.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MEMOPT_RUNTIME_CPU_H
#define MEMOPT_RUNTIME_CPU_H

#include <stdint.h>

#define MEMOPT_CPU_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/*===- Threads -------------------------------------------------------------===*/

/* The points [begin, end) of a kernel; `buffers` are its inputs, then its
   outputs. */
typedef void (*memopt_cpu_kernel)(void *const *buffers, int64_t begin,
                                  int64_t end);

/* Calls the kernel once for each chunk [i grain, min((i + 1) grain, count)),
   whatever the number of threads: what a kernel adds up within a chunk has one
   order. Nothing happens where count is 0; a grain under 1 counts as 1. Within
   a kernel that runs in parallel it is a plain loop. */
MEMOPT_CPU_EXPORT void memopt_cpu_parallel(memopt_cpu_kernel kernel,
                                           void *const *buffers, int64_t count,
                                           int64_t grain);

/* The number of threads of later calls, at least 1; OpenMP's own default
   (OMP_NUM_THREADS, or the processors that the process may use) otherwise. */
MEMOPT_CPU_EXPORT void memopt_cpu_set_threads(int threads);
MEMOPT_CPU_EXPORT int memopt_cpu_get_threads(void);

/*===- Assertions ----------------------------------------------------------===*/

/* What the process does where an assertion of the step does not hold; is called
   once, on the thread that found it, and does not return. */
typedef void (*memopt_cpu_failure_handler)(const char *message);

/* Without one, or with null: the message goes to standard error and the process
   aborts. */
MEMOPT_CPU_EXPORT void
memopt_cpu_set_failure_handler(memopt_cpu_failure_handler handler);

/* Called by a step of which an assertion does not hold; does not return. Threads
   that find another one while the handler runs wait for its end. */
MEMOPT_CPU_EXPORT void memopt_cpu_fail(const char *message);

/*===- Private memory ------------------------------------------------------===*/

/* Makes what the library keeps for itself: threads, a workspace for each, the
   BLAS's own buffers, and the kernels of the products that were prepared. After
   it a step whose products were prepared allocates nothing here, except for
   the length of a call: oneDNN (bf16) an argument list of some 300 bytes,
   OpenBLAS (f64) a packed copy of a few KiB in some products below 10^6 points.
   Call it again after memopt_cpu_set_threads. */
MEMOPT_CPU_EXPORT void memopt_cpu_warm_up(void);

/* Bytes of the workspaces and scratchpads made so far. The buffers that
   OpenBLAS maps for itself are not in it: it does not say how large they are. */
MEMOPT_CPU_EXPORT int64_t memopt_cpu_library_bytes(void);

/* True on a thread that is within a call of a BLAS, for those who count
   allocations and report the library's apart. */
MEMOPT_CPU_EXPORT int memopt_cpu_in_library(void);

/*===- Products ------------------------------------------------------------===*/

enum memopt_cpu_type {
  MEMOPT_CPU_F32 = 0,
  MEMOPT_CPU_F64 = 1,
  MEMOPT_CPU_BF16 = 2,
  MEMOPT_CPU_F16 = 3
};

/* What a loop of a product runs over: batch is a dimension of a, b and c, m of
   a and c, n of b and c, k of a and b, which is summed. */
enum memopt_cpu_loop {
  MEMOPT_CPU_BATCH = 0,
  MEMOPT_CPU_M = 1,
  MEMOPT_CPU_N = 2,
  MEMOPT_CPU_K = 3
};

enum {
  MEMOPT_CPU_SHAPE_HEADER = 5,
  MEMOPT_CPU_SHAPE_LOOP = 5,
  MEMOPT_CPU_MAX_LOOPS = 16 /* of each kind */
};

/* What follows a product: is handed each finished tile once, on the thread that
   made it. The tile holds the sums of c's loops m in [m_begin, m_end) and n in
   [n_begin, n_end) at one point of the batch loops, n consecutive, rows
   tile_stride elements apart; f64 where a, b or c is f64, else f32. The
   indices count the loops of a kind together, the last one fastest. */
typedef void (*memopt_cpu_epilogue)(void *const *buffers, const void *tile,
                                    int64_t tile_stride, int64_t batch,
                                    int64_t m_begin, int64_t m_end,
                                    int64_t n_begin, int64_t n_end);

/* c = sum over k of a b, or c += it. `shape` is an array:

       a's type, b's type, c's type, 1 to add to c, the number of loops L,
       and L times: its kind, its size, its strides in a, b and c (elements).

   A product is exact in f32 (f64 where a, b or c is) and summed there; c is
   rounded once, to nearest even. Strides of operands may be anything, 0 for a
   broadcast; no element of c is written twice. Transposed operands, batches and
   windows (convolutions) are all strides. What a BLAS cannot read in place is
   copied, a tile at a time, into the thread's workspace.

   With an epilogue c is not written and may be null, and "1 to add" is an
   error. `a`, `b` and `c` point at the element of indices 0. Sizes may be 0: a
   sum over nothing is 0. Errors of the shape end the process with a message. */
MEMOPT_CPU_EXPORT void memopt_cpu_gemm(const int64_t *shape, const void *a,
                                       const void *b, void *c,
                                       memopt_cpu_epilogue epilogue,
                                       void *const *buffers);

/* Copies elements from one place to another. `shape` is an array: bytes of an
   element (1, 2, 4 or 8), the number of loops L, and L times: its size and its
   strides there and here, in elements. No element of `to` is written twice, and
   the two do not overlap. */
MEMOPT_CPU_EXPORT void memopt_cpu_copy(const int64_t *shape, const void *from,
                                       void *to);

/* Makes what the product needs beforehand; a null pointer of the product's
   shape does nothing. `has_epilogue` as in the later call. */
MEMOPT_CPU_EXPORT void memopt_cpu_gemm_prepare(const int64_t *shape,
                                               int has_epilogue);

#ifdef __cplusplus
}
#endif

#endif /* MEMOPT_RUNTIME_CPU_H */
