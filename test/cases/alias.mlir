// RUN: mem-opt %s -memopt-pipeline='approximate=true report-after=-' -o /dev/null | FileCheck %s

// One buffer of 16,384 bytes under three names, each read by the backward.
// CHECK: saved activations 16,384 bytes 16.4 kB in 1 storage
// CHECK: 16,384 1 x tensor<32x128xf32>, math.cos, 3 x arith.addf
func.func @names(%x: tensor<32x128xf32>, %g: tensor<4096xf32>, %k: tensor<8x512xf32>)
    -> (tensor<4096xf32>, tensor<4096xf32>, tensor<8x512xf32>, tensor<32x128xf32>) {
  %base = math.cos %x : tensor<32x128xf32>
  %flat = tensor.collapse_shape %base [[0, 1]] : tensor<32x128xf32> into tensor<4096xf32>
  %wide = tensor.expand_shape %flat [[0, 1]] output_shape [8, 512]
      : tensor<4096xf32> into tensor<8x512xf32>
  %loss = math.exp %flat : tensor<4096xf32>
  %d0 = arith.addf %g, %flat : tensor<4096xf32>
  %d1 = arith.addf %k, %wide : tensor<8x512xf32>
  %d2 = arith.addf %base, %x : tensor<32x128xf32>
  return %loss, %d0, %d1, %d2
      : tensor<4096xf32>, tensor<4096xf32>, tensor<8x512xf32>, tensor<32x128xf32>
}
