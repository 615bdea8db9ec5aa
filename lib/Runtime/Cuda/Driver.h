//===- Driver.h - the CUDA driver, loaded while the program runs -*- C++
//-*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CUDA_DRIVER_H
#define MEMOPT_LIB_RUNTIME_CUDA_DRIVER_H

#include <cuda.h>

#include <string>

namespace memopt::cuda {

/// Every function of the driver that is called here. cuda.h renames some to
/// their newest version, under which they are looked up.
#define MEMOPT_CUDA_FUNCTIONS(X)                                               \
  X(cuInit)                                                                    \
  X(cuDriverGetVersion)                                                        \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDeviceTotalMem)                                                          \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxSetCurrent)                                                           \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemGetInfo)                                                              \
  X(cuMemcpyHtoDAsync)                                                         \
  X(cuMemcpyDtoHAsync)                                                         \
  X(cuMemsetD8Async)                                                           \
  X(cuStreamCreate)                                                            \
  X(cuStreamDestroy)                                                           \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamBeginCapture)                                                      \
  X(cuStreamEndCapture)                                                        \
  X(cuGraphInstantiate)                                                        \
  X(cuGraphLaunch)                                                             \
  X(cuGraphDestroy)                                                            \
  X(cuGraphExecDestroy)                                                        \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleUnload)                                                            \
  X(cuModuleGetFunction)                                                       \
  X(cuModuleGetGlobal)                                                         \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernel)                                                            \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy)                                                            \
  X(cuEventRecord)                                                             \
  X(cuEventElapsedTime)

struct Driver {
#define MEMOPT_DECLARE(name) decltype(&::name) name = nullptr;
  MEMOPT_CUDA_FUNCTIONS(MEMOPT_DECLARE)
#undef MEMOPT_DECLARE

  /// Loads libcuda.so.1, or what MEMOPT_LIBCUDA names; a message where there is
  /// none, or one that is too old.
  std::string load();
  /// `what: CUDA_ERROR_...: its text`.
  std::string describe(const std::string &what, CUresult result) const;
};

/// Opens the first of the libraries that is there, or the one that an
/// environment variable names; null, with a reason, where none is.
void *openLibrary(const char *variable, const char *const *names, int count,
                  std::string &why);

} // namespace memopt::cuda

#endif // MEMOPT_LIB_RUNTIME_CUDA_DRIVER_H
