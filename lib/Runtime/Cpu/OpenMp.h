//===- OpenMp.h - the OpenMP runtime of the BLAS ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenBLAS and oneDNN as Debian builds them run on libgomp. We call it by its
// binary interface, so that whichever compiler builds this library, there is
// one OpenMP runtime and one set of threads in the process.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_OPENMP_H
#define MEMOPT_LIB_RUNTIME_CPU_OPENMP_H

extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads,
                   unsigned flags);
void GOMP_barrier(void);
int omp_in_parallel(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}

namespace memopt::cpu {

/// The calling thread starts no others while this lives: libraries follow
/// OpenMP's number of threads.
class OneThread {
public:
  OneThread() : threads(omp_get_max_threads()) { omp_set_num_threads(1); }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;
  ~OneThread() { omp_set_num_threads(threads); }

private:
  int threads;
};

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_OPENMP_H
