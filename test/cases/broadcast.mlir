// RUN: mem-opt %s -split-input-file -memopt-pipeline='approximate=true report-after=-' -o /dev/null | FileCheck %s

// A row of 4,096 bytes is spread over 4 MiB, forward and backward: 4,096 are kept.
// CHECK-LABEL: training step @named
// CHECK: saved activations 4,096 bytes
func.func @named(%row: tensor<1024xf32>, %x: tensor<1024x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %scale = math.sin %row : tensor<1024xf32>
  %init = tensor.empty() : tensor<1024x1024xf32>
  %spread = linalg.broadcast ins(%scale : tensor<1024xf32>)
      outs(%init : tensor<1024x1024xf32>) dimensions = [1]
  %y = arith.subf %x, %spread : tensor<1024x1024xf32>
  %d = arith.divf %x, %spread : tensor<1024x1024xf32>
  return %y, %d : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// -----

// The same as front ends write it: a generic, and a unit dimension that is spread.
// CHECK-LABEL: training step @generic
// CHECK: saved activations 4,096 bytes
func.func @generic(%row: tensor<1024x1xf32>, %x: tensor<1024x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %scale = math.sin %row : tensor<1024x1xf32>
  %init = tensor.empty() : tensor<1024x1024xf32>
  %spread = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%scale : tensor<1024x1xf32>) outs(%init : tensor<1024x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1024x1024xf32>
  %y = arith.subf %x, %spread : tensor<1024x1024xf32>
  %d = arith.divf %x, %spread : tensor<1024x1024xf32>
  return %y, %d : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
