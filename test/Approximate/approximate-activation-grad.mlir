// RUN: mem-opt %s --split-input-file --memopt-approximate-activation-grad | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --split-input-file --memopt-approximate-activation-grad --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mem-opt %s --split-input-file --memopt-approximate-activation-grad=coefficients=paper | FileCheck %s --check-prefix=PAPER
// RUN: mem-opt %s --split-input-file --memopt-approximate-activation-grad=bits=4 | FileCheck %s --check-prefix=BITS

// The code is made directly after x, and only the code crosses to the backward.
// REMARK: remark: [Passed] approximate-activation-grad | Category:memopt-approximate-activation-grad | Function=step | Remark="reads a code of its input", bits=2, saved_bytes=120
// CHECK-LABEL: @step
// CHECK-SAME: (%[[A:[^ ]*]]: tensor<4x8xf32>, %[[G:[^ ]*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[X:.*]] = math.sin %[[A]]
// CHECK-NEXT: %[[CODE:.*]] = memopt.encode %[[X]] thresholds [-3.1713097426920{{[0-9]*}}, 0.000000e+00, 3.1713097426920{{[0-9]*}}] : tensor<4x8xf32> -> tensor<4x2xi8>
// CHECK-NEXT: %[[Y:.*]] = memopt.activation gelu_erf %[[X]]
// CHECK-NEXT: %[[DX:.*]] = memopt.step_grad %[[G]], %[[CODE]] slopes [0.000000e+00, -0.0495752056523{{[0-9]*}}, 1.0495752056523{{[0-9]*}}, 1.000000e+00]
// CHECK-NEXT: return %[[Y]], %[[DX]]
// PAPER-LABEL: @step
// PAPER: thresholds [-3.1858810036855245, -0.00117882128116199{{[0-9]*}}, 3.19083261341492{{[0-9]*}}]
// PAPER: slopes [0.000000e+00, -0.04922261145617846{{[0-9]*}}, 1.0487405950855{{[0-9]*}}, 1.000000e+00]
// BITS-LABEL: @step
// BITS: memopt.encode {{.*}} -> tensor<4x4xi8>
func.func @step(%a: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y = memopt.activation gelu_erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %dx = memopt.activation_grad gelu_erf %g, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The backward reads x through a view of its own: the view moves to the forward.
// Two gradients of one x share the code. An odd count gives a flat code.
// REMARK: saved_bytes=56
// CHECK-LABEL: @views
// CHECK: %[[X:.*]] = math.sin
// CHECK-NEXT: %[[V:.*]] = tensor.collapse_shape %[[X]]
// CHECK-NEXT: %[[CODE:.*]] = memopt.encode %[[V]] {{.*}} : tensor<15xf32> -> tensor<4xi8>
// CHECK-NEXT: memopt.activation
// CHECK-NEXT: memopt.step_grad %{{.*}}, %[[CODE]]
// CHECK-NEXT: memopt.step_grad %{{.*}}, %[[CODE]]
func.func @views(%a: tensor<3x5xf32>, %g: tensor<15xf32>, %g2: tensor<15xf32>) -> (tensor<3x5xf32>, tensor<15xf32>, tensor<15xf32>) {
  %x = math.sin %a : tensor<3x5xf32>
  %y = memopt.activation silu %x : tensor<3x5xf32> -> tensor<3x5xf32>
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<3x5xf32> into tensor<15xf32>
  %dx = memopt.activation_grad silu %g, %v : tensor<15xf32>, tensor<15xf32> -> tensor<15xf32>
  %dx2 = memopt.activation_grad silu %g2, %v : tensor<15xf32>, tensor<15xf32> -> tensor<15xf32>
  return %y, %dx, %dx2 : tensor<3x5xf32>, tensor<15xf32>, tensor<15xf32>
}

// -----

// Dynamic rows: codes are smaller whatever the size.
// REMARK: "reads a code of its input", bits=2, saved_bytes=0
// CHECK-LABEL: @dynamic
// CHECK: memopt.encode %{{.*}} : tensor<?x8xbf16> -> tensor<?x2xi8>
func.func @dynamic(%a: tensor<?x8xbf16>, %g: tensor<?x8xbf16>) -> (tensor<?x8xbf16>, tensor<?x8xbf16>) {
  %x = math.sin %a : tensor<?x8xbf16>
  %y = memopt.activation silu %x : tensor<?x8xbf16> -> tensor<?x8xbf16>
  %dx = memopt.activation_grad silu %g, %x : tensor<?x8xbf16>, tensor<?x8xbf16> -> tensor<?x8xbf16>
  return %y, %dx : tensor<?x8xbf16>, tensor<?x8xbf16>
}

// -----

// REMARK: left alone: its input is also kept by arith.mulf
// CHECK-LABEL: @kept
// CHECK-NOT: memopt.encode
func.func @kept(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %x = math.sin %a : tensor<8xf32>
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %other = arith.mulf %g, %x : tensor<8xf32>
  return %y, %dx, %other : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// REMARK: left alone: its input is an argument, which is there anyway
// CHECK-LABEL: @argument
// CHECK-NOT: memopt.encode
func.func @argument(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// REMARK: left alone: its input is also returned, so it is kept anyway
// CHECK-LABEL: @returned
// CHECK-NOT: memopt.encode
func.func @returned(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %x = math.sin %a : tensor<8xf32>
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %x, %dx : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// REMARK: left alone: the backward makes its input, so nothing is kept
// CHECK-LABEL: @recomputed
// CHECK-NOT: memopt.encode
func.func @recomputed(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.sin %a : tensor<8xf32>
  %x = math.cos %y : tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// REMARK: left alone: it stands before the end of the forward
// CHECK-LABEL: @early
// CHECK-NOT: memopt.encode
func.func @early(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = math.sin %a : tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dz = math.cos %dx : tensor<8xf32>
  return %y, %dz : tensor<8xf32>, tensor<8xf32>
}

// -----

// One element: a byte for four.
// REMARK: saved_bytes=3
// CHECK-LABEL: @one
// CHECK: memopt.encode %{{.*}} : tensor<f32> -> tensor<1xi8>
func.func @one(%a: tensor<f32>, %g: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %x = math.sin %a : tensor<f32>
  %y = memopt.activation silu %x : tensor<f32> -> tensor<f32>
  %dx = memopt.activation_grad silu %g, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  return %y, %dx : tensor<f32>, tensor<f32>
}

// -----

// REMARK: left alone: its codes are no smaller than its input
// CHECK-LABEL: @none
// CHECK-NOT: memopt.encode
func.func @none(%a: tensor<0xf32>, %g: tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>) {
  %x = math.sin %a : tensor<0xf32>
  %y = memopt.activation silu %x : tensor<0xf32> -> tensor<0xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<0xf32>, tensor<0xf32> -> tensor<0xf32>
  return %y, %dx : tensor<0xf32>, tensor<0xf32>
}

// -----

// REMARK: left alone: the size of its codes is not known
// CHECK-LABEL: @flat_dynamic
// CHECK-NOT: memopt.encode
func.func @flat_dynamic(%a: tensor<?x7xf32>, %g: tensor<?x7xf32>) -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %x = math.sin %a : tensor<?x7xf32>
  %y = memopt.activation silu %x : tensor<?x7xf32> -> tensor<?x7xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<?x7xf32>, tensor<?x7xf32> -> tensor<?x7xf32>
  return %y, %dx : tensor<?x7xf32>, tensor<?x7xf32>
}

// -----

// REMARK: left alone: the backward makes the view through which it reads its input
// CHECK-LABEL: @fenced
// CHECK-NOT: memopt.encode
func.func @fenced(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = math.sin %a : tensor<8xf32>
  %y = memopt.activation silu %x : tensor<8xf32> -> tensor<8xf32>
  %dy = math.sin %g : tensor<8xf32>
  %late = memopt.fence %x after %dy : tensor<8xf32>, tensor<8xf32>
  %dx = memopt.activation_grad silu %dy, %late : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}

// -----

// REMARK: left alone: its sizes are dynamic
// CHECK-LABEL: @dynamic_slice
// CHECK-NOT: memopt.encode
func.func @dynamic_slice(%a: tensor<?x8xf32>, %g: tensor<2x8xf32>) -> (tensor<?x8xf32>, tensor<2x8xf32>) {
  %x = math.sin %a : tensor<?x8xf32>
  %y = math.cos %x : tensor<?x8xf32>
  %v = tensor.extract_slice %x[0, 0] [2, 8] [1, 1] : tensor<?x8xf32> to tensor<2x8xf32>
  %dx = memopt.activation_grad silu %g, %v : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x8xf32>
  return %y, %dx : tensor<?x8xf32>, tensor<2x8xf32>
}

// -----

// REMARK: left alone: its input weighs nothing
// CHECK-LABEL: @splat
// CHECK-NOT: memopt.encode
func.func @splat(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %y = arith.addf %a, %x : tensor<8xf32>
  %dx = memopt.activation_grad silu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}
