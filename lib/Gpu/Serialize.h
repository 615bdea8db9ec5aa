//===- Serialize.h - kernels as bytes ---------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_SERIALIZE_H
#define MEMOPT_LIB_GPU_SERIALIZE_H

#include "Chips.h"
#include "mlir/IR/BuiltinOps.h"

namespace memopt {

enum class GpuFormat { Isa, Bin, Fatbin, Llvm };

struct GpuImageOptions {
  const GpuChip &chip;
  GpuFormat format;
  int optLevel;
  /// Folder of the CUDA toolkit; empty to look for it.
  std::string toolkit;
};

/// The image of `device`, a module in the LLVM and NVVM dialects. Fails with a
/// diagnostic.
llvm::FailureOr<std::string> makeGpuImage(mlir::ModuleOp device,
                                          const GpuImageOptions &options);

/// A cubin of PTX by `ptxas`.
llvm::FailureOr<std::string> assemble(mlir::Location loc, llvm::StringRef ptx,
                                      const GpuImageOptions &options,
                                      const GpuChip &chip);

/// A file of a fat binary: a cubin, or PTX.
struct FatbinPart {
  const GpuChip &chip;
  bool isPtx;
  std::string bytes;
};
/// The fat binary of the parts by `fatbinary`.
llvm::FailureOr<std::string> joinFatbin(mlir::Location loc,
                                        llvm::ArrayRef<FatbinPart> parts,
                                        const GpuImageOptions &options);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_SERIALIZE_H
