// RUN: mem-opt %s --memopt-to-arena-pipeline='donate=0' | FileCheck %s

// An updated argument holds its result and takes nothing of the arena.

// CHECK-LABEL: func.func @update(
// CHECK-SAME:    memopt.arena_bytes = 64 : i64
// CHECK-SAME:    memopt.donated = [0]
// CHECK-SAME:    memopt.results = [{offset = 0 : i64, type = tensor<4xf32>}, {argument = 0 : i64, type = tensor<4xf32>}]
func.func @update(%w: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %loss = math.exp %w : tensor<4xf32>
  %new = arith.subf %w, %g : tensor<4xf32>
  return %loss, %new : tensor<4xf32>, tensor<4xf32>
}
