// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-verify-memory

// expected-error@below {{memopt-verify-memory: no function has the attribute 'memopt.arena_bytes': put memopt-plan-memory before}}
module {
  func.func @unplanned(%x: memref<4xf32>) {
    return
  }
}

// -----

// %b takes the place of %a too early.

func.func @overwritten(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  %c_a = arith.constant 0 : index
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  %c_t = arith.constant 64 : index
  %t = memref.view %arena[%c_t][] : memref<128xi8> to memref<4xf32>
  %c_b = arith.constant 0 : index
  %b = memref.view %arena[%c_b][] : memref<128xi8> to memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  // expected-note@below {{it is written here}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  // expected-error@below {{memopt-verify-memory: operand 0 reads bytes 0 to 16 of the arena, which another buffer has overwritten}}
  memopt.kernel elementwise ins(%a : memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

func.func @unwritten(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  %c_a = arith.constant 0 : index
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  %c_t = arith.constant 64 : index
  %t = memref.view %arena[%c_t][] : memref<128xi8> to memref<4xf32>
  // expected-error@below {{memopt-verify-memory: operand 0 reads bytes 0 to 16 of the arena, which nothing has written}}
  memopt.kernel elementwise ins(%a : memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

// Part of a result is overwritten.

// expected-error@below {{memopt-verify-memory: result 0 at bytes 0 to 128 is overwritten}}
func.func @result(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 0 : i64, type = tensor<32xf32>}]} {
  %c_a = arith.constant 0 : index
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<32xf32>
  %c_t = arith.constant 64 : index
  %t = memref.view %arena[%c_t][] : memref<128xi8> to memref<4xf32>
  memopt.kernel elementwise outs(%a : memref<32xf32>) {
    %e = arith.constant dense<0.0> : tensor<32xf32>
    memopt.yield %e : tensor<32xf32>
  }
  // expected-note@below {{it is written here}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

// expected-error@below {{memopt-verify-memory: result 0 at bytes 0 to 16 is no buffer that was written last}}
func.func @no_result(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 0 : i64, type = tensor<4xf32>}]} {
  %c_a = arith.constant 64 : index
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

func.func @shared(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 0 : i64, type = tensor<4xf32>}]} {
  %c_a = arith.constant 0 : index
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  %c_b = arith.constant 0 : index
  %b = memref.view %arena[%c_b][] : memref<128xi8> to memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  // expected-error@below {{memopt-verify-memory: operand 1 is written and shares bytes with operand 0}}
  memopt.kernel elementwise ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

func.func @argument(%x: memref<4xf32>, %y: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  // expected-error@below {{memopt-verify-memory: writes argument 1, which is not donated}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

func.func @past(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  %c_a = arith.constant 128 : index
  // expected-error@below {{memopt-verify-memory: the buffer takes bytes 128 to 144, and the arena has 128}}
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  return
}

// -----

func.func @unaligned(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  %c_a = arith.constant 32 : index
  // expected-error@below {{memopt-verify-memory: the offset 32 is no multiple of 64}}
  %a = memref.view %arena[%c_a][] : memref<128xi8> to memref<4xf32>
  return
}

// -----

func.func @variable(%n: index, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  // expected-error@below {{memopt-verify-memory: the buffer's offset and size must be constants}}
  %a = memref.view %arena[%n][] : memref<128xi8> to memref<4xf32>
  return
}

// -----

func.func @elsewhere(%x: memref<128xi8>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  %c_a = arith.constant 0 : index
  // expected-error@below {{memopt-verify-memory: this is no view of the arena}}
  %a = memref.view %x[%c_a][] : memref<128xi8> to memref<4xf32>
  return
}

// -----

func.func @allocates(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  // expected-error@below {{memopt-verify-memory: 'memref.alloc' allocates beside the arena}}
  %a = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func private @other(memref<4xf32>)
func.func @unknown(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  // expected-error@below {{memopt-verify-memory: 'func.call' does not say what it reads and writes}}
  func.call @other(%x) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-error@below {{memopt-verify-memory: the last argument is a 'memref<64xi8>', and the arena has 128 bytes}}
func.func @size(%x: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = []} {
  return
}

// -----

// expected-error@below {{memopt-verify-memory: result 0 must have a type and an offset or an argument}}
func.func @place(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 0 : i64}]} {
  return
}

// -----

// expected-error@below {{memopt-verify-memory: result 0 lies in argument 1, which does not exist}}
func.func @nowhere(%x: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{argument = 1 : i64, type = tensor<4xf32>}]} {
  return
}

// -----

// expected-error@below {{memopt-verify-memory: the step needs the attributes 'memopt.arena_alignment' and 'memopt.results', and an arena}}
func.func @attributes(%arena: memref<64xi8>) attributes {memopt.arena_bytes = 64 : i64} {
  return
}
