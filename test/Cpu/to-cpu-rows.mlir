// RUN: mem-opt %s --memopt-to-cpu | FileCheck %s -enable-var-scope

// A row of 40: two vectors of 16 lanes and a masked one of 8; the sum's lanes are
// added in halves. No call in the loops: exp is arithmetic.
// CHECK-LABEL: llvm.func private @memopt_row_reduction_0
// CHECK-NOT: llvm.call
// CHECK-NOT: llvm.intr.exp
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.fadd {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.load
// CHECK: llvm.shufflevector {{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: llvm.fadd {{.*}} : vector<8xf32>
// CHECK: llvm.fadd {{.*}} : vector<1xf32>
// CHECK: llvm.return

// Short rows: sixteen rows of four columns are one load, taken apart by shuffles.
// CHECK-LABEL: llvm.func private @memopt_row_reduction_1
// CHECK: llvm.load {{.*}} -> vector<64xf32>
// CHECK: llvm.shufflevector {{.*}} [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]
// CHECK: llvm.store {{.*}} : vector<16xf32>

// Column sums: bf16 is read by its bits, sums stay in registers.
// CHECK-LABEL: llvm.func private @memopt_column_reduction_2
// CHECK: llvm.load {{.*}} -> vector<16xbf16>
// CHECK: llvm.zext {{.*}} : vector<16xi16> to vector<16xi32>
// CHECK: llvm.fadd {{.*}} : vector<16xf32>
func.func @step(%x: memref<3x40xf32>, %y: memref<3xf32>, %p: memref<32x4xf32>, %q: memref<32xf32>,
                %b: memref<9x32xbf16>, %s: memref<32xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel row_reduction ins(%x : memref<3x40xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%in: tensor<3x40xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %exp = math.exp %in : tensor<3x40xf32>
    %sum = linalg.reduce { arith.addf } ins(%exp : tensor<3x40xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
    memopt.yield %sum : tensor<3xf32>
  }
  memopt.kernel row_reduction ins(%p : memref<32x4xf32>) outs(%q : memref<32xf32>) {
  ^bb0(%in: tensor<32x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %sum = linalg.reduce { arith.addf } ins(%in : tensor<32x4xf32>) outs(%init : tensor<32xf32>) dimensions = [1]
    memopt.yield %sum : tensor<32xf32>
  }
  memopt.kernel column_reduction ins(%b : memref<9x32xbf16>) outs(%s : memref<32xf32>) {
  ^bb0(%in: tensor<9x32xbf16>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %wide = arith.extf %in : tensor<9x32xbf16> to tensor<9x32xf32>
    %sum = linalg.reduce { arith.addf } ins(%wide : tensor<9x32xf32>) outs(%init : tensor<32xf32>) dimensions = [0]
    memopt.yield %sum : tensor<32xf32>
  }
  return
}
