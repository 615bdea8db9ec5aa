//===- Passes.td - what code generators share --------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_PASSES_TD
#define MEMOPT_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintKernelPrograms : Pass<"memopt-print-kernel-programs"> {
  let summary = "prints what elementwise kernels and reductions compute";
  let description = [{
    Writes to standard error, for each `memopt.kernel` of kind elementwise,
    row_reduction or column_reduction, the program that code generators read:
    its loops, one scalar operation a line, where buffers are read and written.
    Changes nothing.

    ```
    mem-opt kernels.mlir --memopt-print-kernel-programs
    ```
  }];
}

#endif // MEMOPT_CODEGEN_PASSES_TD
