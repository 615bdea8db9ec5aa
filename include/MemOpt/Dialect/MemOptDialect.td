//===- MemOptDialect.td - the memopt dialect ---------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_DIALECT_MEMOPTDIALECT_TD
#define MEMOPT_DIALECT_MEMOPTDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def MemOpt_Dialect : Dialect {
  let name = "memopt";
  let cppNamespace = "::memopt";
  let summary = "Activations, norms, their gradients, and what saves memory in them";
  let description = [{
    The ops between raising and lowering: a function or a gradient that was
    recognised by value, and the forms of it that need less memory. All work on
    ranked tensors of f64, f32, f16 or bf16. Arithmetic is done in the *compute
    type*, f64 for f64 and f32 for the rest, and rounded once to the result type.
  }];
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

// A new activation is a case here and a row in lib/Surrogate/Activation.cpp.
def MemOpt_ActivationKind : I32EnumAttr<"ActivationKind",
    "which activation an op computes", [
      I32EnumAttrCase<"gelu_erf", 0>,    // x Phi(x)
      I32EnumAttrCase<"gelu_tanh", 1>,   // x/2 (1 + tanh(sqrt(2/pi)(x + 0.044715 x^3)))
      I32EnumAttrCase<"quick_gelu", 2>,  // x sigmoid(1.702 x)
      I32EnumAttrCase<"silu", 3>         // x sigmoid(x)
    ]> {
  let cppNamespace = "::memopt";
}

def MemOpt_NormKind : I32EnumAttr<"NormKind", "which normalisation an op computes", [
      I32EnumAttrCase<"layer", 0>,  // (x - mean) (var + eps)^-1/2
      I32EnumAttrCase<"rms", 1>     // x (mean(x^2) + eps)^-1/2
    ]> {
  let cppNamespace = "::memopt";
}

// How a kernel iterates: the classes of the fusion plan (OpClass in
// MemOpt/Planning/StepGraph.h), under the same names.
def MemOpt_KernelKind : I32EnumAttr<"KernelKind", "how a kernel iterates", [
      I32EnumAttrCase<"contraction", 0>,       // a matrix product or convolution, and its epilogue
      I32EnumAttrCase<"elementwise", 1>,       // each point from one point of each operand
      I32EnumAttrCase<"row_reduction", 2>,     // reduces trailing dimensions
      I32EnumAttrCase<"column_reduction", 3>,  // reduces leading dimensions, with its prologue
      I32EnumAttrCase<"movement", 4>,          // gathers, scatters, copies that stay
      I32EnumAttrCase<"opaque", 5>             // anything else
    ]> {
  let cppNamespace = "::memopt";
}

#endif // MEMOPT_DIALECT_MEMOPTDIALECT_TD
