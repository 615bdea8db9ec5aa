// RUN: mem-opt %s -memopt-raise | FileCheck %s --enable-var-scope

// Three activations that differ by less than 0.02 everywhere: each is itself.

// CHECK-LABEL: func.func @erf
// CHECK: memopt.activation gelu_erf
func.func @erf(%x: tensor<6xf32>) -> tensor<6xf32> {
  %half = arith.constant dense<0.5> : tensor<6xf32>
  %root = arith.constant dense<1.41421354> : tensor<6xf32>
  %scaled = arith.divf %x, %root : tensor<6xf32>
  %erf = math.erf %scaled : tensor<6xf32>
  %product = arith.mulf %x, %erf : tensor<6xf32>
  %sum = arith.addf %x, %product : tensor<6xf32>
  %y = arith.mulf %sum, %half : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @tanh
// CHECK: memopt.activation gelu_tanh
func.func @tanh(%x: tensor<6xf32>) -> tensor<6xf32> {
  %half = arith.constant dense<0.5> : tensor<6xf32>
  %root = arith.constant dense<0.797884583> : tensor<6xf32>
  %cubic = arith.constant dense<0.0356774069> : tensor<6xf32>
  %x2 = arith.mulf %x, %x : tensor<6xf32>
  %c = arith.mulf %x2, %cubic : tensor<6xf32>
  %sum = arith.addf %c, %root : tensor<6xf32>
  %inner = arith.mulf %sum, %x : tensor<6xf32>
  %t = math.tanh %inner : tensor<6xf32>
  %xt = arith.mulf %x, %t : tensor<6xf32>
  %both = arith.addf %x, %xt : tensor<6xf32>
  %y = arith.mulf %both, %half : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @quick
// CHECK: memopt.activation quick_gelu
func.func @quick(%x: tensor<6xf32>) -> tensor<6xf32> {
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %k = arith.constant dense<1.702> : tensor<6xf32>
  %scaled = arith.mulf %x, %k : tensor<6xf32>
  %minus = arith.negf %scaled : tensor<6xf32>
  %e = math.exp %minus : tensor<6xf32>
  %p = arith.addf %e, %one : tensor<6xf32>
  %sigmoid = arith.divf %one, %p : tensor<6xf32>
  %y = arith.mulf %x, %sigmoid : tensor<6xf32>
  return %y : tensor<6xf32>
}

// A factor between those of quick-GELU and SiLU is neither.
// CHECK-LABEL: func.func @between
// CHECK-NOT: = memopt
// CHECK: return
func.func @between(%x: tensor<6xf32>) -> tensor<6xf32> {
  %one = arith.constant dense<1.0> : tensor<6xf32>
  %k = arith.constant dense<1.5> : tensor<6xf32>
  %scaled = arith.mulf %x, %k : tensor<6xf32>
  %minus = arith.negf %scaled : tensor<6xf32>
  %e = math.exp %minus : tensor<6xf32>
  %p = arith.addf %e, %one : tensor<6xf32>
  %y = arith.divf %x, %p : tensor<6xf32>
  return %y : tensor<6xf32>
}
