// RUN: mem-opt %s --memopt-to-nvvm=format=llvm -split-input-file | FileCheck %s -enable-var-scope

// Queries and keys of heads that lie side by side, [image, position, head, feature]: no
// stride leads through images and heads, so the first launch writes where each matrix
// lies, and one call of cuBLASLt multiplies them all.
// CHECK: \22products\22:[{\22shape\22:\22b6 m5 n5 k4 f32\22,\22calls\22:1}]
// CHECK-SAME: \22kernel\22:\22batch_addresses_1\22,\22kind\22:\22addresses\22,{{.*}}\22written\22:144}
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK: llvm.call @memopt_gpu_launch
// CHECK: llvm.call @memopt_gpu_launch
// CHECK: llvm.call @memopt_gpu_gemm_batched
// CHECK-NOT: llvm.call
func.func @step(%arena: memref<1600xi8>) attributes {
    memopt.arena_bytes = 1600 : i64, memopt.arena_alignment = 64 : i64,
    memopt.results = [{offset = 960 : i64, type = tensor<2x3x5x5xf32>}]} {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 960 : index
  %q = memref.view %arena[%at0][] : memref<1600xi8> to memref<2x5x3x4xf32>
  %y = memref.view %arena[%at1][] : memref<1600xi8> to memref<2x3x5x5xf32>
  memopt.kernel elementwise outs(%q : memref<2x5x3x4xf32>) {
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<2x5x3x4xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
    memopt.yield %f : tensor<2x5x3x4xf32>
  }
  memopt.kernel contraction ins(%q : memref<2x5x3x4xf32>) outs(%y : memref<2x3x5x5xf32>) {
  ^bb0(%tq: tensor<2x5x3x4xf32>):
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x3x5x5xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, k) -> (b, i, h, k)>, affine_map<(b, h, i, j, k) -> (b, j, h, k)>,
            affine_map<(b, h, i, j, k) -> (b, h, i, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%tq, %tq : tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) outs(%z : tensor<2x3x5x5xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<2x3x5x5xf32>
    memopt.yield %p : tensor<2x3x5x5xf32>
  }
  return
}
