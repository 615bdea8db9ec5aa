// RUN: mem-opt %s --split-input-file --memopt-share-norm-output | FileCheck %s
// RUN: mem-opt %s --split-input-file --memopt-share-norm-output --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What sharing would not improve stays as it is, each for the reason in its remark.

// REMARK: Function=unkept | Remark="left alone: the backward does not keep its output"
// CHECK-LABEL: @unkept
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @unkept(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=residual | Remark="left alone: its input is also kept by arith.divf"
// CHECK-LABEL: @residual
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @residual(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %other = arith.divf %g, %x : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %other, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=output_returned | Remark="left alone: its output is also returned, so it is kept anyway"
// CHECK-LABEL: @output_returned
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @output_returned(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %y, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=input_returned | Remark="left alone: its input is also returned, so it is kept anyway"
// CHECK-LABEL: @input_returned
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @input_returned(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %x, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=argument | Remark="left alone: its input is an argument, which is there anyway"
// CHECK-LABEL: @argument
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @argument(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=dropout | Remark="left alone: the backward does not keep its output"
// CHECK-LABEL: @dropout
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @dropout(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %d = arith.mulf %y, %a : tensor<4x8xf32>
  %z = math.cos %d : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %d : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=other_epsilon | Remark="left alone: no norm of the forward has this input, kind, epsilon and rows"
// CHECK-LABEL: @other_epsilon
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @other_epsilon(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-6
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=early | Remark="left alone: it stands before the end of the forward"
// CHECK-LABEL: @early
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @early(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %z = math.cos %dx : tensor<4x8xf32>
  %u = math.cos %z : tensor<4x8xf32>
  return %z, %u : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=in_backward | Remark="left alone: the backward makes its input, so nothing is kept"
// CHECK-LABEL: @in_backward
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @in_backward(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %z = math.sin %a : tensor<4x8xf32>
  %x = memopt.activation silu %z : tensor<4x8xf32> -> tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// With captures only the body says how y follows from xhat, and this one reads x.
// REMARK: Function=not_from_xhat | Remark="left alone: its output does not follow from xhat alone"
// CHECK-LABEL: @not_from_xhat
// CHECK: memopt.norm_grad
func.func @not_from_xhat(%a: tensor<4x8xf32>, %c: tensor<4x8xf32>, %dz: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x captures(%c) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%in: tensor<4x8xf32>, %captured: tensor<4x8xf32>):
    %h = math.tanh %in : tensor<4x8xf32>
    %s = arith.constant dense<1.0> : tensor<4xf32>
    %e = arith.mulf %in, %captured : tensor<4x8xf32>
    memopt.yield %e, %h, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
  }
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// REMARK: Function=splat | Remark="left alone: its input weighs nothing"
// CHECK-LABEL: @splat
// CHECK: memopt.norm_grad
// CHECK-NOT: memopt.norm_output_grad
func.func @splat(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = arith.constant dense<1.0> : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// One row of one element: xhat and rstd are no smaller than x and y.
// REMARK: Function=tiny | Remark="left alone: what it would keep is no smaller than what it keeps"
// CHECK-LABEL: @tiny
// CHECK: memopt.norm_grad
func.func @tiny(%a: tensor<4x1xf32>, %w: tensor<1xf32>, %dz: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %x = math.sin %a : tensor<4x1xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x1xf32>, tensor<1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x1xf32>
  %g = math.sin %dz : tensor<4x1xf32>
  %dw = arith.mulf %g, %y : tensor<4x1xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %z, %dw, %dx : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

// REMARK: Function=dynamic | Remark="left alone: its sizes are not known"
// CHECK-LABEL: @dynamic
// CHECK: memopt.norm_grad
func.func @dynamic(%a: tensor<?x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>, %g: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %x = math.sin %a : tensor<?x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<?x8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?xf32>)
  %z = math.cos %y : tensor<?x8xf32>
  %u = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<?x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %u, %dw, %dx : tensor<?x8xf32>, tensor<4x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
