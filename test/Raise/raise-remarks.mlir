// RUN: mem-opt %s --memopt-raise --split-input-file --verify-diagnostics -o /dev/null
// RUN: mem-opt %s --memopt-raise=accept-deviation=0.01 --split-input-file 2>/dev/null | FileCheck %s

// sqrt(2/pi) with a wrong digit is close to the tanh GELU, no more.
// CHECK-LABEL: func.func @wrong_constant
// CHECK: memopt.activation gelu_tanh
func.func @wrong_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = arith.constant dense<0.5> : tensor<8xf32>
  %o = arith.constant dense<1.0> : tensor<8xf32>
  %k = arith.constant dense<0.044715> : tensor<8xf32>
  %s = arith.constant dense<0.797724> : tensor<8xf32>
  %x2 = arith.mulf %x, %x : tensor<8xf32>
  %x3 = arith.mulf %x2, %x : tensor<8xf32>
  %kx = arith.mulf %x3, %k : tensor<8xf32>
  %in = arith.addf %x, %kx : tensor<8xf32>
  %a = arith.mulf %in, %s : tensor<8xf32>
  %t = math.tanh %a : tensor<8xf32>
  %p = arith.addf %t, %o : tensor<8xf32>
  %q = arith.mulf %x, %h : tensor<8xf32>
  // expected-remark @below {{close to gelu_tanh but off by 6.4e-04 (relative): left as it is}}
  %y = arith.mulf %q, %p : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Something else reads the sigmoid: raising would compute it twice.
// CHECK-LABEL: func.func @sigmoid_read_elsewhere
// CHECK-NOT: = memopt
func.func @sigmoid_read_elsewhere(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %n = arith.negf %x : tensor<8xf32>
  %e = math.exp %n : tensor<8xf32>
  %p = arith.addf %e, %one : tensor<8xf32>
  // expected-remark @below {{silu is left as it is: this value of it is read by an op that is no part of it}}
  %s = arith.divf %one, %p : tensor<8xf32>
  %y = arith.mulf %x, %s : tensor<8xf32>
  return %y, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// The gradient has a wrong constant, 0.9999 for 1: only the forward is a SiLU.
// CHECK-LABEL: func.func @wrong_gradient
// CHECK: memopt.activation silu
// CHECK: memopt.activation_grad silu
func.func @wrong_gradient(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %wrong = arith.constant dense<0.9999> : tensor<8xf32>
  %n = arith.negf %x : tensor<8xf32>
  %e = math.exp %n : tensor<8xf32>
  %p = arith.addf %e, %one : tensor<8xf32>
  %y = arith.divf %x, %p : tensor<8xf32>
  %m = arith.mulf %x, %x : tensor<8xf32>
  %n1 = arith.subf %m, %m : tensor<8xf32>
  %n2 = arith.subf %n1, %x : tensor<8xf32>
  %e1 = math.exp %n2 : tensor<8xf32>
  %p1 = arith.addf %e1, %one : tensor<8xf32>
  %s = arith.divf %one, %p1 : tensor<8xf32>
  %os = arith.subf %wrong, %s : tensor<8xf32>
  %xo = arith.mulf %x, %os : tensor<8xf32>
  %b = arith.addf %xo, %one : tensor<8xf32>
  %sb = arith.mulf %s, %b : tensor<8xf32>
  // expected-remark @below {{close to the gradient of silu but off by 5.9e-03 (relative): left as it is}}
  %dx = arith.mulf %g, %sb : tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}
