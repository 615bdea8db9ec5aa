//===- Passes.td - code for the CPU ------------------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CPU_PASSES_TD
#define MEMOPT_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ToCpu : Pass<"memopt-to-cpu", "mlir::ModuleOp"> {
  let summary = "turns a planned step into LLVM code for the CPU";
  let description = [{
    Needs a step as `memopt-plan-memory` leaves it: a function on buffers with
    the attribute `memopt.arena_bytes`, whose last argument is the arena and
    whose body holds `memopt.kernel` ops on buffers, views of the arena and
    scalar ops. Leaves a module in the LLVM dialect with

    - `llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr)`, which
      takes an array of one pointer an argument, and the arena. It allocates
      nothing and returns nothing: results lie in the arena, or in arguments
      that are updated in place;
    - one function a kernel, `void kernel(void *const *buffers, int64_t begin,
      int64_t end)`, which does the units [begin, end) of the kernel's parallel
      range. Kernels of the same text share one. The step hands them to
      `memopt_cpu_parallel` of the runtime library;
    - `@memopt_step_description`, a null-terminated JSON text with the types of
      arguments and results and the places of the results.

    What a sum adds in which order depends on shapes only, so that results do
    not depend on the number of threads.

    Refuses an op that has no code, by name and with its place, and leaves the
    module as it was.

    ```
    mem-opt planned.mlir --memopt-to-cpu
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // MEMOPT_CPU_PASSES_TD
