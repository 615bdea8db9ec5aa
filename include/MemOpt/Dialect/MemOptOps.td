//===- MemOptOps.td - ops of the memopt dialect ------------*- tablegen -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_DIALECT_MEMOPTOPS_TD
#define MEMOPT_DIALECT_MEMOPTOPS_TD

include "MemOpt/Dialect/MemOptDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class MemOpt_Op<string mnemonic, list<Trait> traits = []>
    : Op<MemOpt_Dialect, mnemonic, traits>;

def MemOpt_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def MemOpt_CodeTensor : RankedTensorOf<[I8]>;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def MemOpt_ActivationOp : MemOpt_Op<"activation",
    [Pure, IsolatedFromAbove, SameOperandsAndResultShape]> {
  let summary = "an activation h(x), elementwise";
  let description = [{
    `y = h(x)`. The region, where there is one, is the body the op was raised
    from: its argument is x, what it yields is y, and lowering inlines it, so
    that a raised forward stays bit-identical. Without a region the op is
    lowered from its definition.

    ```mlir
    %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MemOpt_ActivationKind:$kind, MemOpt_FloatTensor:$x);
  let results = (outs MemOpt_FloatTensor:$y);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $kind $x `:` type($x) `->` type($y) attr-dict-with-keyword ($body^)?
  }];
  let hasVerifier = 1;
}

def MemOpt_ActivationGradOp : MemOpt_Op<"activation_grad",
    [Pure, SameOperandsAndResultShape]> {
  let summary = "the gradient of an activation, from its input";
  let description = [{
    `dx = g h'(x)`, exact. It keeps x until the backward.

    ```mlir
    %dx = memopt.activation_grad gelu_erf %g, %x
        : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MemOpt_ActivationKind:$kind,
                       MemOpt_FloatTensor:$g, MemOpt_FloatTensor:$x);
  let results = (outs MemOpt_FloatTensor:$dx);
  let assemblyFormat = [{
    $kind $g `,` $x `:` type($g) `,` type($x) `->` type($dx) attr-dict
  }];
}

def MemOpt_EncodeOp : MemOpt_Op<"encode", [Pure]> {
  let summary = "which step of a surrogate each element lies on, packed";
  let description = [{
    `code(x) = (x > c1) + (x > c2) + ...`, strict comparisons in the compute
    type. 2^b - 1 thresholds give codes of b bits, 1 <= b <= 4. Element i of the
    row-major order takes bits b i .. b i + b - 1 of the byte stream, the lowest
    bit of byte 0 first (at 2 bits: bits 2 (i mod 4) of byte i div 4); the bits
    behind the last element are zero. The result has the shape of x with last
    dimension d b / 8 where 8 divides d b, and is flat with ceil(n b / 8) bytes
    otherwise: the same bytes either way. A NaN has code 0.

    ```mlir
    %code = memopt.encode %x thresholds [-3.17, 0.0, 3.17]
        : tensor<4x8xf32> -> tensor<4x2xi8>
    ```
  }];
  let arguments = (ins MemOpt_FloatTensor:$x, F64ArrayAttr:$thresholds);
  let results = (outs MemOpt_CodeTensor:$code);
  let assemblyFormat = [{
    $x `thresholds` $thresholds `:` type($x) `->` type($code) attr-dict
  }];
  let extraClassDeclaration = [{
    /// Bits per code, from the number of thresholds; 0 where that is no 2^b - 1.
    unsigned getBits();
    llvm::SmallVector<double> getThresholdValues();
  }];
  let hasVerifier = 1;
}

def MemOpt_StepGradOp : MemOpt_Op<"step_grad", [Pure]> {
  let summary = "the gradient of a piecewise-linear surrogate, from its code";
  let description = [{
    `dx = g slopes[code]`, with 2^b slopes for codes of b bits as `memopt.encode`
    packs them (Approx-BP, Yang et al., ICML 2024). It keeps b bits an element.
    Where x was NaN the code is 0, so the gradient is `g slopes[0]`: NaN exactly
    where g is NaN, as it is once a NaN has reached the loss.

    ```mlir
    %dx = memopt.step_grad %g, %code slopes [0.0, -0.05, 1.05, 1.0]
        : tensor<4x8xf32>, tensor<4x2xi8> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MemOpt_FloatTensor:$g, MemOpt_CodeTensor:$code,
                       F64ArrayAttr:$slopes);
  let results = (outs MemOpt_FloatTensor:$dx);
  let assemblyFormat = [{
    $g `,` $code `slopes` $slopes `:` type($g) `,` type($code) `->` type($dx)
    attr-dict
  }];
  let extraClassDeclaration = [{
    /// Bits per code, from the number of slopes; 0 where that is no 2^b.
    unsigned getBits();
    llvm::SmallVector<double> getSlopeValues();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

def MemOpt_NormOp : MemOpt_Op<"norm",
    [Pure, IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "LayerNorm or RMSNorm over the trailing dimensions";
  let description = [{
    With the statistics of each row (the trailing `normalized_rank` dimensions,
    1 by default):

        layer:  rstd = (var(x) + epsilon)^(-1/2),    xhat = (x - mean(x)) rstd
        rms:    rstd = (mean(x^2) + epsilon)^(-1/2), xhat = x rstd
        y = gamma xhat + beta

    `xhat` and `rstd` have the compute type; one that nobody uses costs nothing.
    gamma and beta have the shape of a row. The region, where there is one, is
    the body the op was raised from: its arguments are the operands in order, it
    yields y, xhat and rstd, and lowering inlines it. `captures` are what else
    that body reads, so they need a region; with captures and no gamma or beta,
    only the region says how y follows from xhat.

    ```mlir
    %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) beta(%b) epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins MemOpt_NormKind:$kind, MemOpt_FloatTensor:$x,
                       Optional<MemOpt_FloatTensor>:$gamma,
                       Optional<MemOpt_FloatTensor>:$beta,
                       Variadic<AnyRankedTensor>:$captures,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$normalized_rank);
  let results = (outs MemOpt_FloatTensor:$y, MemOpt_FloatTensor:$xhat,
                      MemOpt_FloatTensor:$rstd);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $kind $x (`gamma` `(` $gamma^ `)`)? (`beta` `(` $beta^ `)`)?
    (`captures` `(` $captures^ `)`)? `epsilon` $epsilon
    `:` functional-type(operands, results) attr-dict-with-keyword ($body^)?
  }];
  let hasVerifier = 1;
}

def MemOpt_NormGradOp : MemOpt_Op<"norm_grad", [Pure]> {
  let summary = "the gradients of a norm, from its input";
  let description = [{
    With xhat and rstd as in `memopt.norm`, g' = gamma g and means over a row:

        layer:  dx = rstd (g' - mean(g') - xhat mean(g' xhat))
        rms:    dx = rstd (g' - xhat mean(g' xhat))
        dgamma = sum over rows of g xhat,   dbeta = sum over rows of g

    It keeps x until the backward. A result that nobody uses costs nothing.

    ```mlir
    %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x gamma(%w) epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins MemOpt_NormKind:$kind, MemOpt_FloatTensor:$g,
                       MemOpt_FloatTensor:$x, Optional<MemOpt_FloatTensor>:$gamma,
                       F64Attr:$epsilon,
                       DefaultValuedAttr<I64Attr, "1">:$normalized_rank);
  let results = (outs MemOpt_FloatTensor:$dx, MemOpt_FloatTensor:$dgamma,
                      MemOpt_FloatTensor:$dbeta);
  let assemblyFormat = [{
    $kind $g `,` $x (`gamma` `(` $gamma^ `)`)? `epsilon` $epsilon
    `:` functional-type(operands, results) attr-dict
  }];
  let hasVerifier = 1;
}

def MemOpt_NormOutputGradOp : MemOpt_Op<"norm_output_grad", [Pure]> {
  let summary = "the gradients of a norm, from its normalised output";
  let description = [{
    The same results as `memopt.norm_grad`, from xhat and rstd instead of x
    (MS-BP, Yang et al., ICML 2024): exact, and x need not be kept. An xhat that
    was rounded to a narrower type is accepted; the result is then only as exact
    as that rounding.

    ```mlir
    %dx, %dgamma, %dbeta = memopt.norm_output_grad rms %g, %xhat, %rstd gamma(%w)
        : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>)
        -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins MemOpt_NormKind:$kind, MemOpt_FloatTensor:$g,
                       MemOpt_FloatTensor:$xhat, MemOpt_FloatTensor:$rstd,
                       Optional<MemOpt_FloatTensor>:$gamma,
                       DefaultValuedAttr<I64Attr, "1">:$normalized_rank);
  let results = (outs MemOpt_FloatTensor:$dx, MemOpt_FloatTensor:$dgamma,
                      MemOpt_FloatTensor:$dbeta);
  let assemblyFormat = [{
    $kind $g `,` $xhat `,` $rstd (`gamma` `(` $gamma^ `)`)?
    `:` functional-type(operands, results) attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

def MemOpt_FenceOp : MemOpt_Op<"fence", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "a value, available only once another value is";
  let description = [{
    The identity on x with a dependence on `after`, a value of the backward. What
    is recomputed from the result cannot be merged with the forward's value, nor
    be hoisted into the forward. No copy: it disappears at bufferization as an
    alias, or on leaving for another stack takes a form that stack respects.

    ```mlir
    %late = memopt.fence %x after %g : tensor<4x8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$after);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x `after` $after `:` type($x) `,` type($after) attr-dict";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def MemOpt_KernelOp : MemOpt_Op<"kernel",
    [IsolatedFromAbove, AttrSizedOperandSegments, DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "ops that run as one: reads its inputs once, writes its outputs once";
  let description = [{
    One kernel of the fusion plan. The body computes on tensors, in upstream
    dialects: its arguments are the inputs, what it yields are the outputs, and
    every tensor in between takes no memory that the plan counts. Views,
    transposes, broadcasts and inits are part of the kernel that reads them, so
    that inputs are whole storages.

    Before bufferization inputs and outputs are tensors, and there is one result
    for each output. After it they are buffers of the same shapes, there are no
    results, and the body is what it was: code generators read it. No output
    overlaps an input, except one that the op reads at the very point at which
    it writes and that is listed in `in_place`: pairs of an output's number and
    an input's.

    ```mlir
    %y = memopt.kernel elementwise ins(%x : tensor<4x8xf32>)
        outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%in: tensor<4x8xf32>):
      %e = math.exp %in : tensor<4x8xf32>
      memopt.yield %e : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins MemOpt_KernelKind:$kind, Variadic<AnyType>:$inputs,
                       Variadic<AnyShaped>:$outputs,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let results = (outs Variadic<AnyRankedTensor>:$tensors);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($tensors)^)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// What the body yields, one tensor an output.
    mlir::OperandRange getYielded();
    /// True before bufferization.
    bool hasTensors() { return getNumResults() != 0; }
  }];
  let hasVerifier = 1;
}

def MemOpt_YieldOp : MemOpt_Op<"yield", [Pure, Terminator,
    ParentOneOf<["ActivationOp", "NormOp", "KernelOp"]>]> {
  let summary = "ends the body of a raised op or of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // MEMOPT_DIALECT_MEMOPTOPS_TD
