// RUN: mem-opt %s --memopt-print-kernel-programs -o /dev/null 2>&1 | FileCheck %s -enable-var-scope

// Shapes that all run in one order are one loop.
// CHECK: elementwise: loops 32, 1 of rows
// CHECK-NEXT: %0 = load #0[d0] : f32
// CHECK-NEXT: %1 = math.exp %0 : f32
// CHECK-NEXT: store %1 -> #0[d0]
func.func @one_loop(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  memopt.kernel elementwise ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%in: tensor<4x8xf32>):
    %e = math.exp %in : tensor<4x8xf32>
    memopt.yield %e : tensor<4x8xf32>
  }
  return
}

// A transposed read splits the loop; a reshape of what is read costs nothing.
// CHECK: elementwise: loops 4 x 8, 2 of rows
// CHECK-NEXT: %0 = load #0[d0 * 8 + d1] : f32
// CHECK-NEXT: %1 = load #1[d0 + d1 * 4] : f32
// CHECK-NEXT: %2 = arith.addf %0, %1 : f32
// CHECK-NEXT: store %2 -> #0[d0 * 8 + d1]
func.func @transposed(%x: memref<4x8xf32>, %y: memref<32xf32>, %z: memref<4x8xf32>) {
  memopt.kernel elementwise ins(%x, %y : memref<4x8xf32>, memref<32xf32>) outs(%z : memref<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<32xf32>):
    %two = tensor.expand_shape %b [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
    %init = tensor.empty() : tensor<4x8xf32>
    %t = linalg.transpose ins(%two : tensor<8x4xf32>) outs(%init : tensor<4x8xf32>) permutation = [1, 0]
    %s = arith.addf %a, %t : tensor<4x8xf32>
    memopt.yield %s : tensor<4x8xf32>
  }
  return
}

// The heads of an attention, with a bias that they share: loops that nothing
// tells apart are joined again.
// CHECK: elementwise: loops 2 x 3 x 20, 3 of rows
// CHECK-NEXT: %0 = load #0[d0 * 60 + d1 * 20 + d2] : f32
// CHECK-NEXT: %1 = load #1[d0 * 20 + d2] : f32
func.func @shared(%x: memref<2x3x4x5xf32>, %y: memref<2x4x5xf32>, %z: memref<2x3x4x5xf32>) {
  memopt.kernel elementwise ins(%x, %y : memref<2x3x4x5xf32>, memref<2x4x5xf32>) outs(%z : memref<2x3x4x5xf32>) {
  ^bb0(%a: tensor<2x3x4x5xf32>, %b: tensor<2x4x5xf32>):
    %init = tensor.empty() : tensor<2x3x4x5xf32>
    %t = linalg.broadcast ins(%b : tensor<2x4x5xf32>) outs(%init : tensor<2x3x4x5xf32>) dimensions = [1]
    %s = arith.addf %a, %t : tensor<2x3x4x5xf32>
    memopt.yield %s : tensor<2x3x4x5xf32>
  }
  return
}

// What a row's sum gives is read at the row.
// CHECK: row_reduction: loops 3 x 64, 1 of rows
// CHECK: %[[S:[0-9]+]] = reduced 0.0 : f32
// CHECK: 0: reduce over d1: from %{{[0-9]+}} by %{{[0-9]+}}
// CHECK: store %[[S]] -> #0[d0]
func.func @rows(%x: memref<3x64xf32>, %r: memref<3xf32>, %y: memref<3x64xf32>) {
  memopt.kernel row_reduction ins(%x : memref<3x64xf32>) outs(%r, %y : memref<3xf32>, memref<3x64xf32>) {
  ^bb0(%in: tensor<3x64xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<3x64xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
    %b = tensor.empty() : tensor<3x64xf32>
    %wide = linalg.broadcast ins(%s : tensor<3xf32>) outs(%b : tensor<3x64xf32>) dimensions = [1]
    %y0 = arith.subf %in, %wide : tensor<3x64xf32>
    memopt.yield %s, %y0 : tensor<3xf32>, tensor<3x64xf32>
  }
  return
}

// Two shapes without common loops: a quotient stays.
// CHECK: elementwise: loops 4 x 6, 2 of rows
// CHECK: load #1[{{.*}}floordiv{{.*}}]
func.func @quotients(%x: memref<24xf32>, %y: memref<6x4xf32>, %z: memref<24xf32>) {
  memopt.kernel elementwise ins(%x, %y : memref<24xf32>, memref<6x4xf32>) outs(%z : memref<24xf32>) {
  ^bb0(%a: tensor<24xf32>, %b: tensor<6x4xf32>):
    %init = tensor.empty() : tensor<4x6xf32>
    %t = linalg.transpose ins(%b : tensor<6x4xf32>) outs(%init : tensor<4x6xf32>) permutation = [1, 0]
    %f = tensor.collapse_shape %t [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
    %v = tensor.expand_shape %f [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
    %init2 = tensor.empty() : tensor<4x6xf32>
    %u = linalg.transpose ins(%v : tensor<6x4xf32>) outs(%init2 : tensor<4x6xf32>) permutation = [1, 0]
    %g = tensor.collapse_shape %u [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
    %s = arith.addf %a, %g : tensor<24xf32>
    memopt.yield %s : tensor<24xf32>
  }
  return
}

// Sums of rows and of columns over the same points.
// CHECK: row_reduction: loops 3 x 64, 1 of rows
// CHECK: 0: reduce over d1: from
// CHECK: 1: reduce over d0: from
// CHECK: store {{.*}} -> #0[d0]
// CHECK: store {{.*}} -> #1[d1]
// CHECK: store {{.*}} -> #2[d1]
func.func @rows_and_columns(%x: memref<3x64xf32>, %r: memref<3xf32>, %c: memref<64xf32>, %e: memref<64xf32>) {
  memopt.kernel row_reduction ins(%x : memref<3x64xf32>) outs(%r, %c, %e : memref<3xf32>, memref<64xf32>, memref<64xf32>) {
  ^bb0(%in: tensor<3x64xf32>):
    %rows = arith.constant dense<0.0> : tensor<3xf32>
    %columns = arith.constant dense<0.0> : tensor<64xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<3x64xf32>) outs(%rows : tensor<3xf32>) dimensions = [1]
    %t = linalg.reduce { arith.addf } ins(%in : tensor<3x64xf32>) outs(%columns : tensor<64xf32>) dimensions = [0]
    %u = math.exp %t : tensor<64xf32>
    memopt.yield %s, %t, %u : tensor<3xf32>, tensor<64xf32>, tensor<64xf32>
  }
  return
}
