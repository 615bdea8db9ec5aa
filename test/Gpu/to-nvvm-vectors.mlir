// RUN: mem-opt %s --memopt-to-nvvm=format=isa | %source/tools/dev/gpu_image.py | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --memopt-to-nvvm=format=llvm | %source/tools/dev/gpu_image.py --description | FileCheck %s --check-prefix=PLACES

// The planned 64 bytes: nothing here works in more; a row is read once.
// PLACES: "arena_bytes":64,
// PLACES-SAME: "workspace":{"most":0,"added":0}
// PLACES-SAME: "kernel":"row_reduction_1","kind":"row_reduction","least_read":266240,"least_written":262400,"read":266240,"written":262400

// 16 bytes a thread; of the last vector only the points that exist.
// CHECK-LABEL: .entry elementwise_0
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ld.global.nc.b32
// CHECK-NOT: call

// A row of 1024 in the registers of a warp: all of it is under way before the sum,
// and nothing is read again after it.
// CHECK-LABEL: .entry row_reduction_1
// CHECK-COUNT-16: ld.global.nc.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT: call

// Rows above each other add up in shared memory.
// CHECK-LABEL: .entry column_reduction_2
// CHECK: ld.global.nc.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
func.func @step(%x: memref<1003xf32>, %y: memref<1003xf32>, %a: memref<64x1024xf32>, %h: memref<64x1024xf32>, %g: memref<1024xf32>, %o: memref<64x1024xf32>, %r: memref<64xf32>, %cs: memref<1024xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel elementwise ins(%x : memref<1003xf32>) outs(%y : memref<1003xf32>) {
  ^bb0(%in: tensor<1003xf32>):
    %e = math.exp %in : tensor<1003xf32>
    memopt.yield %e : tensor<1003xf32>
  }
  memopt.kernel row_reduction ins(%a, %g : memref<64x1024xf32>, memref<1024xf32>) outs(%r, %o : memref<64xf32>, memref<64x1024xf32>) {
  ^bb0(%in: tensor<64x1024xf32>, %gg: tensor<1024xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %exp = math.exp %in : tensor<64x1024xf32>
    %sum = linalg.reduce { arith.addf } ins(%exp : tensor<64x1024xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
    %eo = tensor.empty() : tensor<64x1024xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%exp, %sum, %gg : tensor<64x1024xf32>, tensor<64xf32>, tensor<1024xf32>) outs(%eo : tensor<64x1024xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32, %u: f32):
      %v = arith.divf %p, %q : f32
      %w = arith.mulf %v, %s : f32
      linalg.yield %w : f32
    } -> tensor<64x1024xf32>
    memopt.yield %sum, %d : tensor<64xf32>, tensor<64x1024xf32>
  }
  memopt.kernel column_reduction ins(%h : memref<64x1024xf32>) outs(%cs : memref<1024xf32>) {
  ^bb0(%in: tensor<64x1024xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1024xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
    %sum = linalg.reduce { arith.addf } ins(%in : tensor<64x1024xf32>) outs(%init : tensor<1024xf32>) dimensions = [0]
    memopt.yield %sum : tensor<1024xf32>
  }
  return
}
