//===- Rewrite.h - NVVM code as code for the host --------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_REWRITE_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_REWRITE_H

#include "Image.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Module.h"

namespace memopt::emulator {

/// Gives each llvm.nvvm.* that the module calls, and what ends a thread, a body
/// that the host can run. An error names what has none.
llvm::Error defineIntrinsics(llvm::Module &module);
/// Whether a function of that name makes threads wait for each other.
bool isSynchronisation(llvm::StringRef name);

/// Makes masked loads, stores, gathers and scatters accesses of one element
/// each, as far as their lanes take part.
void expandMaskedAccesses(llvm::Function &function);

/// Makes every access of `function` pass through memopt_emulator_access, or,
/// without `checks`, go where device memory's contents are.
void instrument(llvm::Function &function, bool isKernel, bool checks);

/// A global in device memory, and what it holds at first, to be copied there
/// once it is compiled.
struct DeviceGlobal {
  std::string name;
  uint64_t address = 0;
  int64_t bytes = 0;
  std::string initializer; ///< a symbol; empty: nothing to be copied
};
/// Moves the module's globals to device memory.
llvm::Expected<std::vector<DeviceGlobal>> placeGlobals(llvm::Module &module);

/// Where the shared variables of the module lie.
struct SharedLayout {
  llvm::MapVector<llvm::GlobalVariable *, SharedRange> variables;
  uint64_t dynamicOffset = 0;
  llvm::GlobalVariable *dynamic = nullptr;
};
llvm::Expected<SharedLayout> layOutShared(llvm::Module &module);
/// Puts addresses in the place of the variables; the layout's keys are then
/// gone.
void placeShared(SharedLayout &layout);

/// A kernel with what it and its callees use.
Kernel describeKernel(llvm::Function &function, const SharedLayout &layout);

/// Addresses of all that rewritten code calls.
struct RuntimeSymbol {
  const char *name;
  void *address;
};
llvm::ArrayRef<RuntimeSymbol> runtimeSymbols();

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_REWRITE_H
