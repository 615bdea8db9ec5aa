//===- FakeLibraries.h - what tests ask the fake libraries -----*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUNTIME_CUDA_FAKELIBRARIES_H
#define MEMOPT_TEST_RUNTIME_CUDA_FAKELIBRARIES_H

extern "C" {
/// The lines since the last call.
const char *fake_take_log();
/// The next call of that name in the log fails with this code.
void fake_fail(const char *name, int code);
}

#endif // MEMOPT_TEST_RUNTIME_CUDA_FAKELIBRARIES_H
