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

def PlanMemory : Pass<"memopt-plan-memory", "mlir::ModuleOp"> {
  let summary = "gives each buffer of the step a fixed place in one arena";
  let description = [{
    Needs a step as `memopt-bufferize` leaves it. A buffer is needed from the first op
    that touches it to the last, results to the end; buffers that are needed at once
    get disjoint places (docs/arena.md), and the packing is verified. More than 10^8 steps
    are searched only where the arena is still more than a percent above the bytes that
    are needed at once, or above the plan's peak budget.

    The step loses its results and gets a last argument, the arena. Each allocation
    becomes a view of it at a constant offset. The function's attributes say the rest:

    | attribute | what it holds |
    |---|---|
    | `memopt.arena_bytes` | the arena's size |
    | `memopt.arena_lower_bound` | the most bytes that are needed at once: no arena is smaller |
    | `memopt.arena_alignment` | a divisor of each offset |
    | `memopt.results` | for each result its type, and the offset or the argument where it lies |
    | `memopt.donated` | the arguments that the step overwrites |

    Refuses a step without kernels or on tensors, sizes that are not known, results
    that are parts of buffers or lie in neither the arena nor an argument, and an arena
    larger than the `peak_budget_bytes` of `memopt.plan`.

    ```mlir
    func.func @step(%x: memref<4xf32>, %arena: memref<64xi8>)
        attributes {memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64,
                    memopt.results = [ {offset = 0 : i64, type = tensor<4xf32>} ]} {
      %c0 = arith.constant 0 : index
      %y = memref.view %arena[%c0][] : memref<64xi8> to memref<4xf32>
      memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
      ^bb0(%in: tensor<4xf32>):
        %e = math.exp %in : tensor<4xf32>
        memopt.yield %e : tensor<4xf32>
      }
      return
    }
    ```
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", "64",
           "bytes of which each offset is a multiple; a power of two">,
    Option<"stepLimit", "step-limit", "int64_t", "2000000000",
           "elementary steps of the search for better packings; 10^9 are some seconds">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def VerifyMemory : Pass<"memopt-verify-memory", "mlir::ModuleOp"> {
  let summary = "fails where a step in its arena overwrites what it still needs";
  let description = [{
    Reads steps as `memopt-plan-memory` leaves them, the IR alone: it follows the ops in
    their order and keeps for each byte of the arena which buffer wrote it last. Fails

     - where an op reads bytes that its buffer did not write, or that another buffer
       has overwritten, with both places;
     - where a result's bytes are not its own at the end;
     - where an op's output shares bytes with its inputs or another output (`in_place`
       apart), or an argument is written that is not in `memopt.donated`;
     - where a buffer passes the arena's end, or its offset is not constant or not a
       multiple of the alignment;
     - where the step allocates, or an op does not say what it reads and writes.
  }];
}

#endif // MEMOPT_BUFFERS_PASSES_TD
