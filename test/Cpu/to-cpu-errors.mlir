// RUN: mem-opt %s --memopt-to-cpu -split-input-file -verify-diagnostics

// expected-error@+1 {{memopt-to-cpu: no function has the attribute memopt.arena_bytes: put memopt-plan-memory before}}
module {
  func.func @step(%x: memref<4xf32>) {
    return
  }
}

// -----

// expected-error@+1 {{needs the attributes memopt.arena_bytes, memopt.arena_alignment and memopt.results: put memopt-plan-memory before}}
func.func @step(%arena: memref<64xi8>) attributes {memopt.arena_bytes = 64 : i64} {
  return
}

// -----

// expected-error@+1 {{takes or returns a 'memref<4xcomplex<f32>>', which a step cannot exchange with its caller}}
func.func @step(%x: memref<4xcomplex<f32>>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  return
}

// -----

func.func @step(%x: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{'memref.alloc' op between the kernels of a step has no CPU code}}
  %y = memref.alloc() : memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// An op of a body that has no code is named.
func.func @step(%x: memref<4xf32>, %y: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    // expected-error@+1 {{'tensor.pad' op has no place in a fused kernel}}
    %p = tensor.pad %in low[0] high[0] {
    ^bb0(%i: index):
      %zero = arith.constant 0.0 : f32
      tensor.yield %zero : f32
    } : tensor<4xf32> to tensor<4xf32>
    memopt.yield %p : tensor<4xf32>
  }
  return
}

// -----

memref.global "private" @state : memref<4xf32> = uninitialized
func.func @step(%x: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{of global @state, which has no value of numbers before the first run, has no code}}
  %state = memref.get_global @state : memref<4xf32>
  memref.copy %x, %state : memref<4xf32> to memref<4xf32>
  return
}

// -----

memref.global "private" @state : memref<4xf32, strided<[2]>> = dense<0.0>
func.func @step(%x: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{of a global that is not contiguous has no code}}
  %state = memref.get_global @state : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @step(%x: memref<4x40xf32>, %r: memref<4xf32>, %c: memref<40xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel row_reduction ins(%x : memref<4x40xf32>) outs(%r, %c : memref<4xf32>, memref<40xf32>) {
  ^bb0(%in: tensor<4x40xf32>):
    %rows = arith.constant dense<0.0> : tensor<4xf32>
    %columns = arith.constant dense<0.0> : tensor<40xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<4x40xf32>) outs(%rows : tensor<4xf32>) dimensions = [1]
    // expected-error@+1 {{reduces other loops than the reductions before it in its kernel}}
    %t = linalg.reduce { arith.addf } ins(%in : tensor<4x40xf32>) outs(%columns : tensor<40xf32>) dimensions = [0]
    memopt.yield %s, %t : tensor<4xf32>, tensor<40xf32>
  }
  return
}
