//===- Passes.td - from tensors to one arena ---------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_BUFFERS_PASSES_TD
#define MEMOPT_BUFFERS_PASSES_TD

include "mlir/Pass/PassBase.td"

def Bufferize : Pass<"memopt-bufferize", "mlir::ModuleOp"> {
  let summary = "puts the step's kernels on buffers";
  let description = [{
    Needs a step as `memopt-form-kernels` leaves it. Runs upstream's one-shot
    bufferization over what stands between kernels; a kernel reads its inputs, writes
    its outputs whole, and its body stays on tensors. Each output becomes a
    `memref.alloc`, results are returned as buffers, and arguments are never written
    but for those in `donate`.

    `donate=0,1` allows the step to overwrite arguments. A result takes a donated
    argument's place where the types agree, an elementwise kernel that reads the
    argument at the point makes the result, and nobody reads the argument later; the
    pair is listed in the kernel's `in_place`, and the arguments so updated in the
    function's attribute `memopt.donated`. The others stay as they were.

    Refuses a step without kernels, results that are no tensors, a number in `donate`
    that is no tensor argument's, and a global whose value is read after the global is
    overwritten.

    ```mlir
    func.func @step(%x: memref<4xf32>) -> memref<4xf32> {
      %y = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
      ^bb0(%in: tensor<4xf32>):
        %e = math.exp %in : tensor<4xf32>
        memopt.yield %e : tensor<4xf32>
      }
      return %y : memref<4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"donate", "donate", "int64_t",
               "the numbers of arguments that may be overwritten">
  ];
  let dependentDialects = ["::memopt::MemOptDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // MEMOPT_BUFFERS_PASSES_TD
