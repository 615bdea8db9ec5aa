// RUN: mem-opt %s --memopt-to-nvvm=format=isa | %source/tools/dev/gpu_image.py | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --memopt-to-nvvm=format=llvm | FileCheck %s --check-prefix=HOST

// Sums that many blocks share are one launch. A block stores its part, counts itself behind
// a fence and, where it is the last one, reads the parts of all behind another; no cache that
// other blocks do not write to may serve it. The counter goes back to zero by itself.
// HOST-LABEL: llvm.func @memopt_step(
// HOST-COUNT-1: llvm.call @memopt_gpu_launch
// HOST-NOT: llvm.call

// CHECK: .global .align 4 .b8 column_reduction_0_arrived[24];
// CHECK-LABEL: .entry column_reduction_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK: bar.sync
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.inc.u32 %r{{[0-9]+}}, [%rd{{[0-9]+}}], 63;
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: bar.red.or.pred
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: ld.global
func.func @step(%x: memref<4096x768xf32>, %sum: memref<768xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel column_reduction ins(%x : memref<4096x768xf32>) outs(%sum : memref<768xf32>) {
  ^bb0(%in: tensor<4096x768xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<768xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<768xf32>) -> tensor<768xf32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<4096x768xf32>) outs(%init : tensor<768xf32>) dimensions = [0]
    memopt.yield %r : tensor<768xf32>
  }
  return
}
