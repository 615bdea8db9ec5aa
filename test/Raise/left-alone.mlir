// RUN: mem-opt %s --memopt-raise --split-input-file | FileCheck %s --enable-var-scope

// Dynamic shapes, and what depends on them.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT:   memopt.activation
// CHECK:       math.erf
func.func @dynamic(%x: tensor<?xf32>, %h: tensor<?xf32>, %o: tensor<?xf32>, %r: tensor<?xf32>) -> tensor<?xf32> {
  %a = arith.mulf %x, %r : tensor<?xf32>
  %e = math.erf %a : tensor<?xf32>
  %p = arith.addf %e, %o : tensor<?xf32>
  %q = arith.mulf %x, %h : tensor<?xf32>
  %y = arith.mulf %q, %p : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// What another function or a nested region computes.
func.func private @sigmoid(tensor<8xf32>) -> tensor<8xf32>
// CHECK-LABEL: func.func @call_and_region
// CHECK-NOT:   memopt.activation
// CHECK:       call @sigmoid
// CHECK:       scf.if
// CHECK:       arith.divf
func.func @call_and_region(%x: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %s = call @sigmoid(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = arith.mulf %x, %s : tensor<8xf32>
  %z = scf.if %c -> (tensor<8xf32>) {
    %n = arith.negf %x : tensor<8xf32>
    %e = math.exp %n : tensor<8xf32>
    %p = arith.addf %e, %one : tensor<8xf32>
    %q = arith.divf %x, %p : tensor<8xf32>
    scf.yield %q : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// -----

// Tensors without elements stay; a tensor of rank 0 is as good as any.
// CHECK-LABEL: func.func @empty_and_scalar
// CHECK-SAME:  %{{.*}}: tensor<0x8xf32>, %[[S:.*]]: tensor<f32>
// CHECK:       math.exp %{{.*}} : tensor<0x8xf32>
// CHECK:       memopt.activation silu %[[S]] : tensor<f32> -> tensor<f32>
func.func @empty_and_scalar(%x: tensor<0x8xf32>, %s: tensor<f32>) -> (tensor<0x8xf32>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<0x8xf32>
  %n = arith.negf %x : tensor<0x8xf32>
  %e = math.exp %n : tensor<0x8xf32>
  %p = arith.addf %e, %one : tensor<0x8xf32>
  %y = arith.divf %x, %p : tensor<0x8xf32>
  %sone = arith.constant dense<1.0> : tensor<f32>
  %sn = arith.negf %s : tensor<f32>
  %se = math.exp %sn : tensor<f32>
  %sp = arith.addf %se, %sone : tensor<f32>
  %sy = arith.divf %s, %sp : tensor<f32>
  return %y, %sy : tensor<0x8xf32>, tensor<f32>
}

// -----

// The backward computes the activation again, from a tensor it computed again: that
// stays so, since one op for both would keep what the program chose not to keep.
// CHECK-LABEL: func.func @recomputed
// CHECK-SAME:  %[[X:.*]]: tensor<8xf16>, %[[G:.*]]: tensor<8xf16>
// CHECK:       %[[U:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:       memopt.activation silu %[[U]]
// CHECK:       %[[V:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:       memopt.activation silu %[[V]]
func.func @recomputed(%x: tensor<8xf16>, %g: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %one = arith.constant dense<1.0> : tensor<8xf16>
  %u = arith.addf %x, %x : tensor<8xf16>
  %n = arith.negf %u : tensor<8xf16>
  %e = math.exp %n : tensor<8xf16>
  %p = arith.addf %e, %one : tensor<8xf16>
  %y = arith.divf %u, %p : tensor<8xf16>
  %loss = math.sin %y : tensor<8xf16>
  %v = arith.addf %x, %x : tensor<8xf16>
  %n1 = arith.negf %v : tensor<8xf16>
  %e1 = math.exp %n1 : tensor<8xf16>
  %p1 = arith.addf %e1, %one : tensor<8xf16>
  %y1 = arith.divf %v, %p1 : tensor<8xf16>
  %cos = math.cos %y1 : tensor<8xf16>
  %d = arith.mulf %g, %cos : tensor<8xf16>
  return %loss, %d : tensor<8xf16>, tensor<8xf16>
}

// -----

// tanh alone, and a product with another tensor's sigmoid, are no activations.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   memopt.activation
// CHECK:       return
func.func @others(%x: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %t = math.tanh %x : tensor<8xf32>
  %n = arith.negf %x : tensor<8xf32>
  %e = math.exp %n : tensor<8xf32>
  %p = arith.addf %e, %one : tensor<8xf32>
  %y = arith.divf %u, %p : tensor<8xf32>
  return %t, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// Integers become floats first: the op reads those.
// CHECK-LABEL: func.func @integers
// CHECK:       %[[F:.*]] = arith.sitofp
// CHECK-NEXT:  memopt.activation silu %[[F]]
func.func @integers(%i: tensor<8xi32>) -> tensor<8xf32> {
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %x = arith.sitofp %i : tensor<8xi32> to tensor<8xf32>
  %n = arith.negf %x : tensor<8xf32>
  %e = math.exp %n : tensor<8xf32>
  %p = arith.addf %e, %one : tensor<8xf32>
  %y = arith.divf %x, %p : tensor<8xf32>
  return %y : tensor<8xf32>
}
