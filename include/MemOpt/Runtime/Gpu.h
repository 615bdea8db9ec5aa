/*===- Gpu.h - what generated GPU code and its host call ----------*- C -*-===*\
|*                                                                            *|
|* Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One interface, two libraries: libmemopt_cuda_runtime.so (driver API and    *|
|* cuBLASLt, one stream) and libmemopt_emulator_runtime.so (the same kernels  *|
|* on the CPU, every access checked). Device memory is never dereferenced by  *|
|* the host. All calls come from one thread.                                  *|
|*                                                                            *|
|* A call that returns text returns null where all went well; else a message  *|
|* that stays valid until the next call of the library. What goes wrong in a  *|
|* call without a result is kept, what follows is not executed, and the next  *|
|* memopt_gpu_synchronize returns it.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MEMOPT_RUNTIME_GPU_H
#define MEMOPT_RUNTIME_GPU_H

#include <stdint.h>

#define MEMOPT_GPU_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/*===- What a step calls: neither waits, allocates nor copies
 * --------------===*/

enum {
  MEMOPT_GPU_GEOMETRY =
      7 /* grid x, y, z, block x, y, z, dynamic shared bytes */
};

#define MEMOPT_GPU_PARTIAL ((int64_t)1 << 62)

/* Launches a kernel of an image. `image` and `kernel` are constants of the
   step: the image is loaded once and the kernel looked up once, by their
   addresses. parameters[i] points at parameter i's value, as for
   cuLaunchKernel. `buffer_bytes` (null: nothing is known) says of each
   parameter

       n > 0   it points at a buffer of n bytes that the kernel reads,
       -n      at one of n bytes that it writes whole, and reads only where it
               has written before; the same pointer twice, read and written, is
               an update in place,
       n + MEMOPT_GPU_PARTIAL  at one of n bytes that it writes some of, and
               reads where somebody wrote before,
       0       it is a plain value, or a pointer about which nothing is known,

   which the emulator checks and CUDA ignores. */
MEMOPT_GPU_EXPORT void
memopt_gpu_launch(const void *image, int64_t image_bytes, const char *kernel,
                  const int64_t *geometry, void *const *parameters,
                  const int64_t *buffer_bytes, int64_t parameter_count);

/* Two globals that an image may define; all others are its own affair. */

/* i32, 0 at first: the number, from 1, of an assertion that failed in a kernel.
   A kernel stores it and goes on with a safe value; it must not trap, which
   would take the whole device context with it. */
#define MEMOPT_GPU_FAULT "memopt_gpu_fault"
/* Bytes: the assertions' texts one after another, each with a NUL at its end,
   as "gather_3: index out of bounds". */
#define MEMOPT_GPU_ASSERTIONS "memopt_gpu_assertions"

enum memopt_gpu_type {
  MEMOPT_GPU_F32 = 0,
  MEMOPT_GPU_F64 = 1,
  MEMOPT_GPU_BF16 = 2,
  MEMOPT_GPU_F16 = 3
};

enum memopt_gpu_loop {
  MEMOPT_GPU_BATCH = 0,
  MEMOPT_GPU_M = 1,
  MEMOPT_GPU_N = 2,
  MEMOPT_GPU_K = 3
};

enum {
  MEMOPT_GPU_ALLOW_TF32 = 1, /* a flag: products of f32 in TF32 */
  MEMOPT_GPU_CONTINUES = 2,  /* a flag: another piece of the product before */
  MEMOPT_GPU_SHAPE_HEADER = 6,
  MEMOPT_GPU_SHAPE_LOOP = 5,
  MEMOPT_GPU_MAX_LOOPS = 16 /* of each kind */
};

/* c = sum over k of a b + bias, or c += it. `shape`, a constant of the step, is
   an array:

       flags, a's type, b's type, c's type, 1 to add to c, the number of loops
       L, and L times: its kind, its size, its strides in a, b and c (elements).

   The algorithm is chosen once for a shape and kept.
   Both operands have one type, c has it too, or is f32 where they are bf16 or
   f16. Sums are f32 (f64 for f64), and c is rounded once. The loops of a kind
   must form one dimension with one stride in each operand, but for batch loops,
   which may be several; of the two dimensions of a matrix one has stride 1
   (MemOpt/Runtime/GpuProduct.h decides and says why not). `bias` (or null) has
   c's type and one element for each index of n; c's n then has stride 1.
   `workspace` is the step's own memory for the length of the call. */
MEMOPT_GPU_EXPORT void memopt_gpu_gemm(const int64_t *shape, const void *a,
                                       const void *b, void *c, const void *bias,
                                       void *workspace,
                                       int64_t workspace_bytes);

/* The same, without a bias, where batch loops are several that no one stride
   leads through, which cuBLASLt takes as arrays of pointers (since CUDA 12.9;
   an older one is called once for each point of the shorter loops). `matrices`,
   in device memory, has the address of a's matrix at each point of the batch
   loops (Product::getOffset has their order), then those of b's and of c's: the
   step wrote them there. */
MEMOPT_GPU_EXPORT void memopt_gpu_gemm_batched(const int64_t *shape,
                                               const void *a, const void *b,
                                               void *c, const void *matrices,
                                               void *workspace,
                                               int64_t workspace_bytes);

/*===- What the host of a step calls
 * ---------------------------------------===*/

/* Opens device `number` (from 0). "no NVIDIA driver...", "no GPU..." */
MEMOPT_GPU_EXPORT const char *memopt_gpu_open(int number);
/* Gives back all that the library made; device memory is then gone. */
MEMOPT_GPU_EXPORT void memopt_gpu_close(void);

/* `name` = value, before memopt_gpu_open or after it:
     thread-order  forward | reverse: in which the emulator runs threads
     checks        on | off: whether the emulator checks accesses; before the
                   first launch of an image
     cache         a folder for kernels that the emulator compiled (none)
     memory-bytes  of the emulated device (half of what the machine has free)
     profile       on | off: times of kernels
     count-bytes   on | off: the emulator adds up what kernels load and store
                   (Emulator.h)
     locate-faults on | off: CUDA waits after each kernel, so that a fault names
                   the one that it happened in; else a fault is known to lie
                   between two. The emulator always knows.
   An option of the other library is accepted and does nothing. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_set_option(const char *name,
                                                    const char *value);

/* A JSON object: "name", "memory_bytes", and what else the device says of
   itself. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_describe(void);

/* Device memory on a boundary of at least 256 bytes, not initialised. The
   message names the bytes wanted and free. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_allocate(int64_t bytes, void **memory);
MEMOPT_GPU_EXPORT const char *memopt_gpu_free(void *memory);

/* Copies wait for what was launched before, and until they are done. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_copy_in(void *to, const void *from,
                                                 int64_t bytes);
MEMOPT_GPU_EXPORT const char *memopt_gpu_copy_out(void *to, const void *from,
                                                  int64_t bytes);
/* Fills bytes with a value; to the emulator they are not initialised. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_poison(void *memory, int64_t bytes,
                                                uint8_t value);

/* Waits for all that was launched. What went wrong since the last time: the
   kernel's name, and where the emulator found it, block, thread and operand. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_synchronize(void);

/* One past the highest byte of an allocation that a step wrote since it was
   allocated or poisoned from its beginning; -1 where the library does not
   know. */
MEMOPT_GPU_EXPORT int64_t memopt_gpu_touched_bytes(const void *memory);

/* Counts since memopt_gpu_open. */
struct memopt_gpu_counts {
  int64_t launches, products, allocations, copies, synchronisations;
};
MEMOPT_GPU_EXPORT void memopt_gpu_count(struct memopt_gpu_counts *counts);

/* Of each kernel since the last call, in the order of first launch: name,
   launches, nanoseconds in sum. A product's name is "product" and its shape.
   Only with the option `profile`. */
typedef void (*memopt_gpu_time_visitor)(void *data, const char *kernel,
                                        int64_t launches, int64_t nanoseconds);
MEMOPT_GPU_EXPORT const char *
memopt_gpu_kernel_times(memopt_gpu_time_visitor visit, void *data);

/* Between begin and end launches and products are recorded instead of executed;
   the graph runs them all, with the pointers as recorded. What a step launches
   must have run once before, so that images and algorithms are there. */
MEMOPT_GPU_EXPORT const char *memopt_gpu_begin_capture(void);
MEMOPT_GPU_EXPORT const char *memopt_gpu_end_capture(void **graph);
MEMOPT_GPU_EXPORT const char *memopt_gpu_run_graph(void *graph);
MEMOPT_GPU_EXPORT void memopt_gpu_free_graph(void *graph);

#ifdef __cplusplus
}
#endif

#endif /* MEMOPT_RUNTIME_GPU_H */
