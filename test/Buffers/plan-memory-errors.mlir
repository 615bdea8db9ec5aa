// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-plan-memory

// expected-error@below {{memopt-plan-memory: no function has the attribute 'memopt.kernels': put memopt-form-kernels and memopt-bufferize before}}
module {
  func.func @unformed(%x: memref<4xf32>) -> memref<4xf32> {
    return %x : memref<4xf32>
  }
}

// -----

// expected-error@below {{memopt-plan-memory: the step is on tensors: put memopt-bufferize before}}
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> attributes {memopt.kernels = {}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{memopt-plan-memory: the step has its arena already}}
func.func @twice(%x: memref<4xf32>, %arena: memref<0xi8>) attributes {memopt.kernels = {}, memopt.arena_bytes = 0 : i64} {
  return
}

// -----

func.func @dynamic(%n: index) -> memref<?xf32> attributes {memopt.kernels = {}} {
  // expected-error@below {{memopt-plan-memory: this buffer of 'memref<?xf32>' has no place in an arena: dimension 0 is dynamic}}
  %y = memref.alloc(%n) : memref<?xf32>
  return %y : memref<?xf32>
}

// -----

func.func @layout() -> memref<4x4xf32, strided<[1, 4]>> attributes {memopt.kernels = {}} {
  // expected-error@below {{memopt-plan-memory: this buffer of 'memref<4x4xf32, strided<[1, 4]>>' has no place in an arena: its layout is no row-major order}}
  %y = memref.alloc() : memref<4x4xf32, strided<[1, 4]>>
  return %y : memref<4x4xf32, strided<[1, 4]>>
}

// -----

// expected-error@below {{memopt-plan-memory: result 0 is a part of a buffer, and only a whole one can be returned}}
func.func @part(%x: memref<4xf32>) -> memref<2xf32, strided<[1]>> attributes {memopt.kernels = {}} {
  %y = memref.subview %x[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  return %y : memref<2xf32, strided<[1]>>
}

// -----

memref.global "private" @seed : memref<4xf32>
// expected-error@below {{memopt-plan-memory: result 0 lies neither in the arena nor in an argument}}
func.func @global() -> memref<4xf32> attributes {memopt.kernels = {}} {
  %y = memref.get_global @seed : memref<4xf32>
  return %y : memref<4xf32>
}

// -----

// expected-error@below {{memopt-plan-memory: the arena takes 64 bytes, and the plan's peak_budget_bytes is 63}}
func.func @budget(%x: memref<4xf32>) -> memref<4xf32>
    attributes {memopt.kernels = {}, memopt.plan = {peak_budget_bytes = 63 : i64}} {
  %y = memref.alloc() : memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return %y : memref<4xf32>
}
