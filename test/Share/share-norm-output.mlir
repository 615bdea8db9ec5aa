// RUN: mem-opt %s --split-input-file --memopt-share-norm-output | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --split-input-file --memopt-share-norm-output --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mem-opt %s --split-input-file --memopt-share-norm-output=rounded=true | FileCheck %s --check-prefix=ROUNDED
// RUN: mem-opt %s --split-input-file --memopt-share-norm-output=rounded=true --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROUNDREM
// RUN: mem-opt %s --split-input-file --memopt-share-norm-output --memopt-share-norm-output --memopt-to-linalg | %llvm_bin/mlir-opt --split-input-file -o /dev/null

// The gradient reads xhat and rstd; what the backward reads of y is made again from
// xhat behind a fence on what its first reader waits for anyway. Kept before: x and y,
// 256 bytes; after: xhat and rstd, 144.
// REMARK: remark: [Passed] share-norm-output | Category:memopt-share-norm-output | Function=affine | Remark="reads xhat", saved_bytes=112
// CHECK-LABEL: @affine
// CHECK-SAME: (%{{.*}}: tensor<4x8xf32>, %[[W:[^ ]*]]: tensor<8xf32>, %[[B:[^ ]*]]: tensor<8xf32>, %{{.*}}: tensor<4x8xf32>)
// CHECK: %[[Y:.*]], %[[XHAT:.*]], %[[RSTD:.*]] = memopt.norm layer
// CHECK: math.cos %[[Y]]
// CHECK: %[[G:.*]] = math.sin
// CHECK-NEXT: %[[LATE:.*]] = memopt.fence %[[XHAT]] after %[[G]]
// CHECK: %[[AGAIN:.*]] = linalg.generic {{.*}} ins(%[[LATE]], %[[W]], %[[B]] :
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: arith.mulf %[[G]], %[[AGAIN]]
// CHECK-NEXT: memopt.norm_output_grad layer %[[G]], %[[XHAT]], %[[RSTD]] gamma(%[[W]])
// CHECK-NOT: memopt.norm_grad
func.func @affine(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>, %dz: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) beta(%b) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// From a body, y is made again by the body's own ops. Readers see it through views of
// the forward and of the backward: those before the first reader are copied behind it.
// CHECK-LABEL: @body_and_views
// CHECK: %{{.*}}, %[[XHAT:.*]], %{{.*}} = memopt.norm rms
// CHECK: %[[G:.*]] = math.sin
// CHECK-NEXT: %[[LATE:.*]] = memopt.fence %[[XHAT]] after %[[G]]
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[LATE]]
// CHECK-NEXT: %[[V:.*]] = tensor.collapse_shape %[[Y]]
// CHECK-NEXT: arith.mulf %[[G]], %[[V]]
// CHECK-NEXT: %[[U:.*]] = tensor.expand_shape %[[V]]
// CHECK-NEXT: math.sqrt %[[U]]
// CHECK-NOT: memopt.norm_grad
func.func @body_and_views(%a: tensor<4x8xf32>, %dz: tensor<32xf32>, %g: tensor<4x8xf32>)
    -> (tensor<32xf32>, tensor<32xf32>, tensor<2x16xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%in: tensor<4x8xf32>):
    %h = math.tanh %in : tensor<4x8xf32>
    %s = arith.constant dense<1.0> : tensor<4xf32>
    %e = math.exp %h : tensor<4x8xf32>
    memopt.yield %e, %h, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
  }
  %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %z = math.cos %v : tensor<32xf32>
  %dy = math.sin %dz : tensor<32xf32>
  %dw = arith.mulf %dy, %v : tensor<32xf32>
  %u = tensor.expand_shape %v [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  %r = math.sqrt %u : tensor<2x16xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %r, %dx : tensor<32xf32>, tensor<32xf32>, tensor<2x16xf32>, tensor<4x8xf32>
}

// -----

// What is kept is a narrower copy of y: it is rounded again from the recomputed y.
// Kept before: x (128) and the copy (64); after: xhat and rstd (144).
// REMARK: Function=cast | Remark="reads xhat", saved_bytes=48
// CHECK-LABEL: @cast
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm
// CHECK: memopt.fence
// CHECK: %[[AGAIN:.*]] = linalg.generic
// CHECK: %[[C:.*]] = arith.truncf %[[AGAIN]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: arith.mulf %{{.*}}, %[[C]]
func.func @cast(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xbf16>, %g: tensor<4x8xf32>)
    -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %c = arith.truncf %y : tensor<4x8xf32> to tensor<4x8xbf16>
  %z = math.cos %c : tensor<4x8xbf16>
  %dy = math.sin %dz : tensor<4x8xbf16>
  %dw = arith.mulf %dy, %c : tensor<4x8xbf16>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf32>
}

// -----

// Without gamma and beta y is xhat: shared as it is, nothing is made again.
// REMARK: Function=not_affine | Remark="reads xhat", saved_bytes=112
// CHECK-LABEL: @not_affine
// CHECK: %[[Y:.*]], %{{.*}}, %[[RSTD:.*]] = memopt.norm layer
// CHECK-NOT: memopt.fence
// CHECK: memopt.norm_output_grad layer %{{.*}}, %[[Y]], %[[RSTD]]
func.func @not_affine(%a: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = math.cos %y : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Two norms of one x (parallel blocks) keep one xhat: x and two outputs, 384, become
// 144. A fence for each.
// REMARK: Function=parallel | Remark="reads xhat", saved_bytes=240
// CHECK-LABEL: @parallel
// CHECK: %{{.*}}, %[[XHAT:.*]], %[[RSTD:.*]] = memopt.norm
// CHECK: memopt.fence %[[XHAT]]
// CHECK: memopt.fence %[[XHAT]]
// CHECK: memopt.norm_output_grad layer %{{.*}}, %[[XHAT]], %[[RSTD]]
// CHECK: memopt.norm_output_grad layer %{{.*}}, %[[XHAT]], %[[RSTD]]
func.func @parallel(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %v: tensor<8xf32>, %dz: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %y2, %xhat2, %rstd2 = memopt.norm layer %x gamma(%v) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = arith.addf %y, %y2 : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %y : tensor<4x8xf32>
  %dv = arith.mulf %g, %y2 : tensor<4x8xf32>
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %dx2, %dgamma2, %dbeta2 = memopt.norm_grad layer %g, %x gamma(%v) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dv, %dx, %dx2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// bf16: xhat in f32 is as large as x and y together. With rounded=true the gradient
// reads xhat as the body rounds it, and y stays exact.
// REMARK: Function=bf16 | Remark="left alone: what it would keep is no smaller than what it keeps"
// CHECK-LABEL: @bf16
// CHECK: memopt.norm_grad
// ROUNDREM: Function=bf16 | Remark="reads xhat as the forward rounds it: not exact to f32", saved_bytes=48
// ROUNDED-LABEL: @bf16
// ROUNDED: %{{.*}}, %[[XHAT:.*]], %[[RSTD:.*]] = memopt.norm rms
// ROUNDED: %[[KEPT:.*]] = arith.truncf %[[XHAT]] : tensor<4x8xf32> to tensor<4x8xbf16>
// ROUNDED: %[[LATE:.*]] = memopt.fence %[[KEPT]]
// ROUNDED-NEXT: math.exp %[[LATE]] : tensor<4x8xbf16>
// ROUNDED: memopt.norm_output_grad rms %{{.*}}, %[[KEPT]], %[[RSTD]]
func.func @bf16(%a: tensor<4x8xbf16>, %dz: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %x = math.sin %a : tensor<4x8xbf16>
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%in: tensor<4x8xbf16>):
    %f = arith.extf %in : tensor<4x8xbf16> to tensor<4x8xf32>
    %h = math.tanh %f : tensor<4x8xf32>
    %s = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.truncf %h : tensor<4x8xf32> to tensor<4x8xbf16>
    %e = math.exp %r : tensor<4x8xbf16>
    memopt.yield %e, %h, %s : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4xf32>
  }
  %z = math.cos %y : tensor<4x8xbf16>
  %g = math.sin %dz : tensor<4x8xbf16>
  %dw = arith.mulf %g, %y : tensor<4x8xbf16>
  %dx, %dgamma, %dbeta = memopt.norm_grad rms %g, %x epsilon 1.0e-5
      : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}

// -----

// A norm of a norm's output: the second comes first, and nothing keeps the first's
// output any more, so the first is decided again and left alone.
// REMARK: Function=norm_of_norm | Remark="reads xhat", saved_bytes=112
// REMARK: Function=norm_of_norm | Remark="left alone: the backward does not keep its output"
// CHECK-LABEL: @norm_of_norm
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = memopt.norm layer
// CHECK: %{{.*}}, %[[XHAT:.*]], %[[RSTD:.*]] = memopt.norm layer %[[Y]]
// CHECK: memopt.fence %[[XHAT]]
// CHECK-NOT: memopt.fence
// CHECK: memopt.norm_output_grad layer %{{.*}}, %[[XHAT]], %[[RSTD]]
// CHECK: memopt.norm_grad layer
func.func @norm_of_norm(%a: tensor<4x8xf32>, %w: tensor<8xf32>, %dz: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = math.sin %a : tensor<4x8xf32>
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %u, %uhat, %urstd = memopt.norm layer %y gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  %z = arith.addf %u, %y : tensor<4x8xf32>
  %g = math.sin %dz : tensor<4x8xf32>
  %dw = arith.mulf %g, %u : tensor<4x8xf32>
  %dy, %dgamma2, %dbeta2 = memopt.norm_grad layer %g, %y gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %dy, %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z, %dw, %dx : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
