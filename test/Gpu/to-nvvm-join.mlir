// RUN: mem-opt %s --memopt-to-nvvm=format=llvm -split-input-file | FileCheck %s

// Both read %x: one launch.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-1: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096xf32>, %arena: memref<32768xi8>) attributes {
    memopt.arena_bytes = 32768 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  %zero = arith.constant 0 : index
  %y = memref.view %arena[%zero][] : memref<32768xi8> to memref<4096xf32>
  memopt.kernel elementwise ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>):
    %e = math.exp %in : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  %behind = arith.constant 16384 : index
  %z = memref.view %arena[%behind][] : memref<32768xi8> to memref<4096xf32>
  memopt.kernel elementwise ins(%x : memref<4096xf32>) outs(%z : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>):
    %e = math.sin %in : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  return
}

// -----

// The second one reads what the first writes.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-2: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel elementwise ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>):
    %e = math.exp %in : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  memopt.kernel elementwise ins(%x, %y : memref<4096xf32>, memref<4096xf32>) outs(%z : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>, %other: tensor<4096xf32>):
    %e = arith.mulf %in, %other : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  return
}

// -----

// The second one's output takes the place of a buffer that the first one reads.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-2: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096xf32>, %y: memref<4096xf32>, %arena: memref<32768xi8>) attributes {
    memopt.arena_bytes = 32768 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  %place = arith.constant 64 : index
  %a = memref.view %arena[%place][] : memref<32768xi8> to memref<4096xf32>
  memopt.kernel elementwise ins(%x, %a : memref<4096xf32>, memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>, %other: tensor<4096xf32>):
    %e = arith.mulf %in, %other : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  %other_place = arith.constant 0 : index
  %z = memref.view %arena[%other_place][] : memref<32768xi8> to memref<4096xf32>
  memopt.kernel elementwise ins(%x : memref<4096xf32>) outs(%z : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>):
    %e = math.exp %in : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  return
}

// -----

// In between, something writes what the second one reads.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-3: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096xf32>, %n: memref<64xf32>, %y: memref<4096xf32>, %z: memref<4096xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel elementwise ins(%x : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>):
    %e = math.exp %in : tensor<4096xf32>
    memopt.yield %e : tensor<4096xf32>
  }
  memopt.kernel elementwise outs(%n : memref<64xf32>) {
    %c = arith.constant dense<1.0> : tensor<64xf32>
    memopt.yield %c : tensor<64xf32>
  }
  memopt.kernel elementwise ins(%x, %n : memref<4096xf32>, memref<64xf32>) outs(%z : memref<4096xf32>) {
  ^bb0(%in: tensor<4096xf32>, %few: tensor<64xf32>):
    %e = tensor.empty() : tensor<64x64xf32>
    %rows = tensor.expand_shape %in [[0, 1]] output_shape [64, 64] : tensor<4096xf32> into tensor<64x64xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%rows, %few : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<64x64xf32>
    %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
    memopt.yield %flat : tensor<4096xf32>
  }
  return
}

// -----

// Sums of rows and of columns of the same: what the rows read goes into both.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-1: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096x256xf32>, %y: memref<4096x256xf32>, %c: memref<256xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel row_reduction ins(%x : memref<4096x256xf32>) outs(%y : memref<4096x256xf32>) {
  ^bb0(%in: tensor<4096x256xf32>):
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<4096x256xf32>) outs(%zero : tensor<4096xf32>) dimensions = [1]
    %b = tensor.empty() : tensor<4096x256xf32>
    %wide = linalg.broadcast ins(%s : tensor<4096xf32>) outs(%b : tensor<4096x256xf32>) dimensions = [1]
    %d = arith.subf %in, %wide : tensor<4096x256xf32>
    memopt.yield %d : tensor<4096x256xf32>
  }
  memopt.kernel column_reduction ins(%x : memref<4096x256xf32>) outs(%c : memref<256xf32>) {
  ^bb0(%in: tensor<4096x256xf32>):
    %zero = arith.constant dense<0.0> : tensor<256xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<4096x256xf32>) outs(%zero : tensor<256xf32>) dimensions = [0]
    memopt.yield %s : tensor<256xf32>
  }
  return
}

// -----

// The same where a row and the sums of its columns do not fit registers.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-2: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<4096x20000xf32>, %y: memref<4096x20000xf32>, %c: memref<20000xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel row_reduction ins(%x : memref<4096x20000xf32>) outs(%y : memref<4096x20000xf32>) {
  ^bb0(%in: tensor<4096x20000xf32>):
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<4096x20000xf32>) outs(%zero : tensor<4096xf32>) dimensions = [1]
    %b = tensor.empty() : tensor<4096x20000xf32>
    %wide = linalg.broadcast ins(%s : tensor<4096xf32>) outs(%b : tensor<4096x20000xf32>) dimensions = [1]
    %d = arith.subf %in, %wide : tensor<4096x20000xf32>
    memopt.yield %d : tensor<4096x20000xf32>
  }
  memopt.kernel column_reduction ins(%x : memref<4096x20000xf32>) outs(%c : memref<20000xf32>) {
  ^bb0(%in: tensor<4096x20000xf32>):
    %zero = arith.constant dense<0.0> : tensor<20000xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<4096x20000xf32>) outs(%zero : tensor<20000xf32>) dimensions = [0]
    memopt.yield %s : tensor<20000xf32>
  }
  return
}

// -----

// The same where few rows leave each block as much to store as they read.
// CHECK-LABEL: llvm.func @memopt_step(
// CHECK-COUNT-2: llvm.call @memopt_gpu_launch
// CHECK-NOT: llvm.call
func.func @step(%x: memref<128x4096xf32>, %y: memref<128x4096xf32>, %c: memref<4096xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel row_reduction ins(%x : memref<128x4096xf32>) outs(%y : memref<128x4096xf32>) {
  ^bb0(%in: tensor<128x4096xf32>):
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<128x4096xf32>) outs(%zero : tensor<128xf32>) dimensions = [1]
    %b = tensor.empty() : tensor<128x4096xf32>
    %wide = linalg.broadcast ins(%s : tensor<128xf32>) outs(%b : tensor<128x4096xf32>) dimensions = [1]
    %d = arith.subf %in, %wide : tensor<128x4096xf32>
    memopt.yield %d : tensor<128x4096xf32>
  }
  memopt.kernel column_reduction ins(%x : memref<128x4096xf32>) outs(%c : memref<4096xf32>) {
  ^bb0(%in: tensor<128x4096xf32>):
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %s = linalg.reduce { arith.addf } ins(%in : tensor<128x4096xf32>) outs(%zero : tensor<4096xf32>) dimensions = [0]
    memopt.yield %s : tensor<4096xf32>
  }
  return
}
