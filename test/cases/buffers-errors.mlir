// RUN: mem-opt %s -split-input-file -verify-diagnostics -memopt-pipeline

// Memory that is written in between: a value may not be rebuilt from it, so a step
// on buffers is refused as a whole.
// expected-error @+1 {{@inplace is no training step: it works on buffers, and a step is read on tensors, before bufferization}}
func.func @inplace(%x: memref<8xf32>, %statistic: memref<f32>, %dx: memref<8xf32>) {
  %h = memref.alloc() : memref<8xf32>
  %old = memref.load %statistic[] : memref<f32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%h : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %old : f32
    linalg.yield %s : f32
  }
  %new = arith.addf %old, %old : f32
  memref.store %new, %statistic[] : memref<f32>
  memref.copy %h, %dx : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Also where the buffer is only inside.
// expected-error @+1 {{@inside is no training step: it works on buffers}}
func.func @inside(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = bufferization.to_buffer %x : tensor<8xf32> to memref<8xf32>
  %y = math.exp %x : tensor<8xf32>
  %t = bufferization.to_tensor %m : memref<8xf32> to tensor<8xf32>
  %d = arith.mulf %y, %t : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
