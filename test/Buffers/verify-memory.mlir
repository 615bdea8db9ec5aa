// RUN: mem-opt %s -split-input-file --memopt-verify-memory | FileCheck %s

// %b takes the place of %a once nobody reads %a any more; %c is a donated argument,
// updated in place.

// CHECK-LABEL: func.func @reuse(
func.func @reuse(%x: memref<4xf32>, %c: memref<4xf32>, %arena: memref<128xi8>) attributes {
    memopt.arena_bytes = 128 : i64, memopt.arena_alignment = 64 : i64, memopt.donated = [1],
    memopt.results = [{offset = 0 : i64, type = tensor<2x2xf32>}, {argument = 1 : i64, type = tensor<4xf32>}]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
  %t = memref.view %arena[%c64][] : memref<128xi8> to memref<4xf32>
  %b = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  memopt.kernel elementwise ins(%a : memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  memopt.kernel elementwise ins(%t : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  memopt.kernel elementwise ins(%c, %t : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>)
      attributes {in_place = array<i64: 0, 0>} {
  ^bb0(%in: tensor<4xf32>, %in2: tensor<4xf32>):
    %e = arith.addf %in, %in2 : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}
