//===- LibraryCall.cpp - within a call of a BLAS
//---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryCall.h"
#include "MemOpt/Runtime/Cpu.h"

static thread_local int depth = 0;

memopt::cpu::LibraryCall::LibraryCall() { ++depth; }
memopt::cpu::LibraryCall::~LibraryCall() { --depth; }

int memopt_cpu_in_library(void) { return depth != 0; }
