// RUN: not mem-opt %s --memopt-plan-memory=alignment=48 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not mem-opt %s --memopt-plan-memory=step-limit=-1 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: mem-opt %s --memopt-plan-memory=alignment=256 --memopt-verify-memory | FileCheck %s

// ALIGNMENT: memopt-plan-memory: alignment=48 is no power of two
// STEPS: memopt-plan-memory: step-limit=-1 is negative

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    memopt.arena_alignment = 256 : i64
// CHECK-SAME:    memopt.arena_bytes = 256 : i64
func.func @step(%x: memref<4xf32>) -> memref<4xf32> attributes {memopt.kernels = {}} {
  %y = memref.alloc() : memref<4xf32>
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return %y : memref<4xf32>
}
