// An assertion of the step that does not hold ends the run with its message and its
// kernel, on one thread and on more, and not where it holds.
// RUN: mem-run %s --no-cache --int-range=0..3 | FileCheck %s --check-prefix=HOLDS
// RUN: not mem-run %s --no-cache --int-range=4..4 --num-threads=1 | FileCheck %s --check-prefix=FAILS
// RUN: not mem-run %s --no-cache --int-range=4..4 --num-threads=2 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID

// HOLDS: "ok":true
// FAILS: {"error":"an assertion of the step does not hold: memopt_{{.*}}: index must be smaller than 4","ok":false}
// SAID: mem-run: an assertion of the step does not hold: memopt_{{.*}}: index must be smaller than 4
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @step(%ids: tensor<64xi64>, %table: tensor<4x32xf32>) -> (tensor<f32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4 : i64
  %empty = tensor.empty() : tensor<64x32xf32>
  %rows = linalg.generic {indexing_maps = [#row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<64xi64>) outs(%empty : tensor<64x32xf32>) {
  ^bb0(%id: i64, %out: f32):
    %fits = arith.cmpi slt, %id, %four : i64
    cf.assert %fits, "index must be smaller than 4"
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %table[%row, %column] : tensor<4x32xf32>
    linalg.yield %value : f32
  } -> tensor<64x32xf32>
  %scalar = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce ins(%rows : tensor<64x32xf32>) outs(%start : tensor<f32>) dimensions = [0, 1]
    (%value: f32, %sum: f32) {
      %next = arith.addf %value, %sum : f32
      linalg.yield %next : f32
    }
  %twice = arith.addf %rows, %rows : tensor<64x32xf32>
  return %loss, %twice : tensor<f32>, tensor<64x32xf32>
}
