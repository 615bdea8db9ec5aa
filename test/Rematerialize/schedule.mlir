// RUN: mem-opt %s -split-input-file --memopt-schedule | FileCheck %s -enable-var-scope

// Each sum frees what it reads: it moves before the next wide value is made.

// CHECK-LABEL: func.func @sums(
// CHECK:       math.exp
// CHECK:       [[P:%.+]] = tensor.concat
// CHECK:       [[DP:%.+]] = linalg.reduce {{.*}} ins([[P]]
// CHECK:       [[Q:%.+]] = tensor.concat
// CHECK:       [[DQ:%.+]] = linalg.reduce {{.*}} ins([[Q]]
// CHECK:       return %{{.+}}, [[DP]], [[DQ]]
func.func @sums(%x: tensor<64xf32>, %g: tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = math.exp %x : tensor<64xf32>
  %p = tensor.concat dim(0) %g, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %q = tensor.concat dim(0) %x, %g : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %dp = linalg.reduce {arith.addf} ins(%p : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %dq = linalg.reduce {arith.addf} ins(%q : tensor<128xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %dp, %dq : tensor<64xf32>, tensor<f32>, tensor<f32>
}

// -----

// Calls keep their order, and a good order stays.

// CHECK-LABEL: func.func @calls(
// CHECK:       call @draw
// CHECK-NEXT:  arith.mulf
// CHECK-NEXT:  call @draw
// CHECK-NEXT:  arith.mulf
func.func private @draw() -> tensor<8xf32>
func.func @calls(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = func.call @draw() : () -> tensor<8xf32>
  %loss = arith.mulf %x, %a : tensor<8xf32>
  %b = func.call @draw() : () -> tensor<8xf32>
  %dx = arith.mulf %g, %b : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
