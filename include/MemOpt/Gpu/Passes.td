//===- Passes.td - code for NVIDIA GPUs --------------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_GPU_PASSES_TD
#define MEMOPT_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ToNvvm : Pass<"memopt-to-nvvm", "mlir::ModuleOp"> {
  let summary = "turns a planned step into code for an NVIDIA GPU";
  let description = [{
    Needs a step as `memopt-plan-memory` leaves it (see `memopt-to-cpu`). Leaves
    a module in the LLVM dialect with

    - `llvm.func @memopt_step(%arguments: !llvm.ptr, %arena: !llvm.ptr)`, host
      code. `%arguments` is an array on the host of pointers to device memory,
      `%arena` points to device memory. It only launches kernels and products
      (`memopt_gpu_launch`, `memopt_gpu_gemm` and `memopt_gpu_gemm_batched` of the
      runtime library): it does not allocate, copy or wait;
    - `@memopt_gpu_image`, the kernels: a cubin, a fat binary, PTX, or LLVM
      bitcode, which is what the emulator takes;
    - `@memopt_step_description`, as `memopt-to-cpu` leaves it, with `"target":
      "nvvm"`, the chip, the launches of the step, its products and how many
      calls of cuBLASLt each is, and `"workspace"`: `most` bytes
      of the arena are what products and sums in several steps work in at one
      moment. They lie where no planned buffer is alive then, and `added` bytes
      of them behind the planned arena. `arena_bytes` is all of it.

    Scalars between kernels are computed on the device, in slots at the
    end of the arena: the host never reads one. An assertion that fails puts its
    number into a word of the image, which the runtime reports.

    The kernels call nothing: no library of device functions is needed, and the
    CUDA toolkit only for `bin` and `fatbin`, for its programs `ptxas` and
    `fatbinary`. Those are taken from `toolkit=`, the environment variable
    CUDA_HOME, PATH, or where this was configured, the first that has them.

    Refuses an op that has no code, by name and with its place, and leaves the
    module as it was.

    ```
    mem-opt planned.mlir --memopt-to-nvvm='chip=sm_90 format=isa'
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "sm_80, sm_90 or sm_100; a fat binary runs on all of them, and its "
           "launches are sized for this one">,
    Option<"format", "format", "std::string", "\"fatbin\"",
           "isa (PTX), bin (cubin), fatbin (cubins for all chips, and PTX for "
           "later ones) or llvm (bitcode)">,
    Option<"optLevel", "opt-level", "unsigned", "3",
           "optimization of the kernels, 0 to 3">,
    Option<"gatherBytes", "gather-bytes", "int64_t", "64 << 20",
           "most bytes that a product's kernel takes for copies of operands "
           "and for a product that its outputs are made from; what does not "
           "fit is done in pieces">,
    Option<"tf32", "tf32", "bool", "false",
           "products of f32 may round their operands to TF32">,
    Option<"cudaGraph", "cuda-graph", "bool", "false",
           "the caller is asked to capture the step as one CUDA graph">,
    Option<"toolkit", "toolkit", "std::string", "\"\"",
           "folder of the CUDA toolkit">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // MEMOPT_GPU_PASSES_TD
