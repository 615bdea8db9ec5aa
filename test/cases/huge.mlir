// RUN: mem-opt %s -memopt-pipeline='function=fits report-after=-' -o /dev/null | FileCheck %s
// RUN: not mem-opt %s -memopt-pipeline='function=over report-after=-' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: mem-opt %s -memopt-pipeline='function=over' -o /dev/null

// 2^34 and 2^54 bytes, and a sum that a double would round.
// CHECK: saved activations 18,014,415,689,351,172 bytes 18 PB in 3 storages
func.func @fits(%x: tensor<65536x65536xf32>, %w: tensor<4503599627370496xf32>, %s: tensor<f32>)
    -> (tensor<f32>, tensor<65536x65536xf32>, tensor<4503599627370496xf32>, tensor<f32>) {
  %a = math.sin %x : tensor<65536x65536xf32>
  %b = math.sin %w : tensor<4503599627370496xf32>
  %c = math.sin %s : tensor<f32>
  %loss = math.exp %c : tensor<f32>
  %da = math.cos %a : tensor<65536x65536xf32>
  %db = math.cos %b : tensor<4503599627370496xf32>
  %dc = math.cos %c : tensor<f32>
  return %loss, %da, %db, %dc
      : tensor<f32>, tensor<65536x65536xf32>, tensor<4503599627370496xf32>, tensor<f32>
}

// 2^63 bytes are one too many, where they are counted; a step is rewritten without.
// OVER: huge.mlir:[[# @LINE + 3]]:8: error: 'arith.addi' makes a 'tensor<2097152x2097152x2097152xi8>'
// OVER-SAME: of unknown size: its bytes pass 2^63 - 1
func.func @over(%u: tensor<2097152x2097152x2097152xi8>, %s: tensor<f32>) -> (tensor<f32>, tensor<2097152x2097152x2097152xi8>) {
  %h = arith.addi %u, %u : tensor<2097152x2097152x2097152xi8>
  %loss = math.exp %s : tensor<f32>
  %d = arith.addi %h, %h : tensor<2097152x2097152x2097152xi8>
  return %loss, %d : tensor<f32>, tensor<2097152x2097152x2097152xi8>
}
