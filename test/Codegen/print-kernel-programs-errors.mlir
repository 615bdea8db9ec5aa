// RUN: mem-opt %s --memopt-print-kernel-programs -split-input-file -verify-diagnostics -o /dev/null

func.func @control_flow(%x: memref<4xf32>, %y: memref<4xf32>) {
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %init = tensor.empty() : tensor<4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%in : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %a, %zero : f32
      // expected-error@+1 {{'scf.if' op has no place in a fused kernel}}
      %v = scf.if %c -> f32 {
        scf.yield %a : f32
      } else {
        scf.yield %zero : f32
      }
      linalg.yield %v : f32
    } -> tensor<4xf32>
    memopt.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @sizes(%x: memref<4x6xf32>, %y: memref<4x6xf32>, %z: memref<5xf32>) {
  memopt.kernel elementwise ins(%x : memref<4x6xf32>) outs(%y, %z : memref<4x6xf32>, memref<5xf32>) {
  ^bb0(%in: tensor<4x6xf32>):
    %e = math.exp %in : tensor<4x6xf32>
    // expected-error@+1 {{a kernel of 24 points and 24 rows makes a 'tensor<5xf32>': neither an element a point nor an element a row}}
    %c = arith.constant dense<1.0> : tensor<5xf32>
    memopt.yield %e, %c : tensor<4x6xf32>, tensor<5xf32>
  }
  return
}

// -----

func.func @two_reductions(%x: memref<4x6xf32>, %y: memref<4xf32>, %z: memref<f32>) {
  memopt.kernel row_reduction ins(%x : memref<4x6xf32>) outs(%y, %z : memref<4xf32>, memref<f32>) {
  ^bb0(%in: tensor<4x6xf32>):
    %a = tensor.empty() : tensor<4xf32>
    %b = tensor.empty() : tensor<f32>
    %r = linalg.reduce { arith.addf } ins(%in : tensor<4x6xf32>) outs(%a : tensor<4xf32>) dimensions = [1]
    // expected-error@+1 {{'linalg.reduce' op runs over 4 points, another reduction of its kernel over 24: one kernel has no loops for both}}
    %s = linalg.reduce { arith.addf } ins(%r : tensor<4xf32>) outs(%b : tensor<f32>) dimensions = [0]
    memopt.yield %r, %s : tensor<4xf32>, tensor<f32>
  }
  return
}

// -----

func.func @elsewhere(%x: memref<6x6xf32>, %z: memref<6x6xf32>) {
  memopt.kernel row_reduction ins(%x : memref<6x6xf32>) outs(%z : memref<6x6xf32>) {
  ^bb0(%in: tensor<6x6xf32>):
    %a = tensor.empty() : tensor<6xf32>
    // expected-error@+1 {{'linalg.reduce' op is read by its kernel at another place than where it is computed}}
    %r = linalg.reduce { arith.addf } ins(%in : tensor<6x6xf32>) outs(%a : tensor<6xf32>) dimensions = [1]
    %b = tensor.empty() : tensor<6x6xf32>
    %wide = linalg.broadcast ins(%r : tensor<6xf32>) outs(%b : tensor<6x6xf32>) dimensions = [0]
    %s = arith.addf %in, %wide : tensor<6x6xf32>
    memopt.yield %s : tensor<6x6xf32>
  }
  return
}

// -----

func.func @nothing(%x: memref<4x0xf32>, %z: memref<4xf32>) {
  memopt.kernel row_reduction ins(%x : memref<4x0xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%in: tensor<4x0xf32>):
    %a = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{an op that reduces no elements has no place in a fused kernel}}
    %r = linalg.reduce { arith.addf } ins(%in : tensor<4x0xf32>) outs(%a : tensor<4xf32>) dimensions = [1]
    memopt.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @computed_place(%x: memref<8xf32>, %k: index, %z: memref<4xf32>) {
  memopt.kernel elementwise ins(%x, %k : memref<8xf32>, index) outs(%z : memref<4xf32>) {
  ^bb0(%in: tensor<8xf32>, %at: index):
    // expected-error@+1 {{'tensor.extract_slice' op at a place that is computed has no place in a fused kernel}}
    %s = tensor.extract_slice %in[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = math.exp %s : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}
