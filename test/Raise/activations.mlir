// RUN: mem-opt %s --memopt-raise --split-input-file | FileCheck %s --enable-var-scope

// The erf GELU of eight tensor ops; the op carries them as its body.
// CHECK-LABEL: func.func @gelu_erf
// CHECK-SAME:  %[[X:.*]]: tensor<8xf32>
// CHECK:       %[[Y:.*]] = memopt.activation gelu_erf %[[X]] : tensor<8xf32> -> tensor<8xf32> {
// CHECK:       math.erf
// CHECK:       memopt.yield
// CHECK:       return %[[Y]]
func.func @gelu_erf(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = arith.constant dense<0.5> : tensor<8xf32>
  %o = arith.constant dense<1.0> : tensor<8xf32>
  %r = arith.constant dense<0.707106781> : tensor<8xf32>
  %a = arith.mulf %x, %r : tensor<8xf32>
  %e = math.erf %a : tensor<8xf32>
  %p = arith.addf %e, %o : tensor<8xf32>
  %q = arith.mulf %x, %h : tensor<8xf32>
  %y = arith.mulf %q, %p : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// x sigmoid(1.702 x) is neither a GELU nor a SiLU.
// CHECK-LABEL: func.func @quick_gelu
// CHECK:       memopt.activation quick_gelu
func.func @quick_gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = arith.constant dense<1.0> : tensor<8xf32>
  %k = arith.constant dense<-1.702> : tensor<8xf32>
  %a = arith.mulf %x, %k : tensor<8xf32>
  %e = math.exp %a : tensor<8xf32>
  %p = arith.addf %e, %o : tensor<8xf32>
  %y = arith.divf %x, %p : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// SiLU and its gradient, which read the same sigmoid: nothing of the forward's
// inside is left, so that x is all the backward keeps.
// CHECK-LABEL: func.func @silu
// CHECK-SAME:  %[[X:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<8xf32>
// CHECK-NEXT:  %[[Y:.*]] = memopt.activation silu %[[X]]
// CHECK:       memopt.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[DX:.*]] = memopt.activation_grad silu %[[G]], %[[X]]
// CHECK-NEXT:  return %[[Y]], %[[DX]]
func.func @silu(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %n = arith.negf %x : tensor<8xf32>
  %e = math.exp %n : tensor<8xf32>
  %p = arith.addf %e, %one : tensor<8xf32>
  %s = arith.divf %one, %p : tensor<8xf32>
  %y = arith.mulf %x, %s : tensor<8xf32>
  %os = arith.subf %one, %s : tensor<8xf32>
  %xo = arith.mulf %x, %os : tensor<8xf32>
  %b = arith.addf %xo, %one : tensor<8xf32>
  %sb = arith.mulf %s, %b : tensor<8xf32>
  %dx = arith.mulf %g, %sb : tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// The same in two generics with a reshape between them: x and y of the op have
// y's shape.
#map = affine_map<(d0, d1) -> (d0, d1)>
#flat = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME:  %[[X:.*]]: tensor<2x4xf32>
// CHECK:       %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1]]
// CHECK:       memopt.activation silu %[[FLAT]] : tensor<8xf32> -> tensor<8xf32>
func.func @reshaped(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<2x4xf32>
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x4xf32>) outs(%e0 : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    %e = math.exp %n : f32
    %p = arith.addf %e, %one : f32
    %q = arith.divf %one, %p : f32
    linalg.yield %q : f32
  } -> tensor<2x4xf32>
  %sf = tensor.collapse_shape %s [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %xf = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#flat, #flat, #flat], iterator_types = ["parallel"]}
      ins(%xf, %sf : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Named ops, on bfloat16 and through float32: what was rounded is read, the
// rounding of the result belongs to the op.
// CHECK-LABEL: func.func @named_bf16
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xbf16>
// CHECK:       memopt.activation silu %[[X]] : tensor<4x8xbf16> -> tensor<4x8xbf16>
func.func @named_bf16(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %b = tensor.empty() : tensor<4x8xbf16>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %w = arith.extf %x : tensor<4x8xbf16> to tensor<4x8xf32>
  %n = linalg.negf ins(%w : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %ex = linalg.exp ins(%n : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = linalg.add ins(%ex, %ones : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = linalg.div ins(%w, %p : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.map { arith.truncf } ins(%q : tensor<4x8xf32>) outs(%b : tensor<4x8xbf16>)
  return %y : tensor<4x8xbf16>
}
