//===- DeviceCode.h - device code before it is serialized -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_DEVICECODE_H
#define MEMOPT_LIB_GPU_DEVICECODE_H

#include "GpuModule.h"

namespace memopt {

/// Assertions become stores of their numbers into the image's fault word, and
/// their texts a constant of the image. The kernel goes on with the index that
/// the assertion refused, so that a read may fault before the text is seen.
void storeFailedAssertions(GpuModule &gpu);

/// Takes the device code to the LLVM and NVVM dialects alone. Fails with a
/// diagnostic on a function that no GPU instruction computes.
llvm::LogicalResult convertDeviceCode(GpuModule &gpu);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_DEVICECODE_H
