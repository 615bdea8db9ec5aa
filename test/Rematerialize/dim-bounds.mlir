// RUN: mem-opt %s --memopt-rematerialize='function=elementwise saved-budget=0 dim-bounds=0:0=128,1:0=128' --memopt-verify-plan=function=elementwise | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: mem-opt %s --memopt-rematerialize='function=product saved-budget=0' --memopt-verify-plan='remove=true function=product' | FileCheck %s --check-prefix=PRODUCT
// RUN: mem-opt %s --memopt-pipeline='function=elementwise saved-budget=0.0 dim-bounds=0:0=64,1:0=128' | FileCheck %s --check-prefix=PIPELINE
// RUN: mem-opt %s --memopt-print-step-graph='function=shapes' -o /dev/null | FileCheck %s --check-prefix=SHAPES
// RUN: mem-opt %s --memopt-rematerialize='function=elementwise dry-run saved-budget=0 dim-bounds=0:0=128,1:0=128' | FileCheck %s --check-prefix=DRY

// A batch of at most 128: tanh, of 128 x 1024 floats, runs again after the loss.
// ELEMENTWISE-LABEL: func.func @elementwise
// ELEMENTWISE-SAME: %[[X:[a-z0-9]+]]: tensor<?x1024xf32> {memopt.dim_bounds = array<i64: 128, 1024>}
// ELEMENTWISE-SAME: saved_bytes = 0
// ELEMENTWISE-SAME: saved_bytes_before = 524288
// ELEMENTWISE: %[[A:.*]] = math.tanh %[[X]]
// ELEMENTWISE: %[[LOSS:.*]] = math.exp %[[A]]
// ELEMENTWISE: %[[LATE:.*]] = memopt.fence %[[X]] after
// ELEMENTWISE: math.tanh %[[LATE]]
// ELEMENTWISE-LABEL: func.func @product

// What leaves has neither bounds nor plan, and no bound as a size.
// PIPELINE-LABEL: func.func @elementwise
// PIPELINE-NOT: memopt
// PIPELINE-NOT: 128
// PIPELINE: return
// PIPELINE-LABEL: func.func @product

// DRY: keep
// DRY-LABEL: func.func @elementwise
// DRY-NOT: dim_bounds
// DRY: return
func.func @elementwise(%x: tensor<?x1024xf32>, %g: tensor<?x1024xf32>) -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %a = math.tanh %x : tensor<?x1024xf32>
  %loss = math.exp %a : tensor<?x1024xf32>
  %d = arith.mulf %g, %loss : tensor<?x1024xf32>
  %e = arith.mulf %d, %a : tensor<?x1024xf32>
  return %loss, %e : tensor<?x1024xf32>, tensor<?x1024xf32>
}

// Sizes of inits come from an argument; the recomputed product makes its own.
// PRODUCT-LABEL: func.func @product
// PRODUCT-NOT: dim_bounds
// PRODUCT: linalg.matmul
// PRODUCT: %[[LATE:.*]] = memopt.fence
// PRODUCT: linalg.matmul
// PRODUCT: return
func.func @product(%x: tensor<?x64xf32> {memopt.dim_bounds = array<i64: 32, 64>}, %w: tensor<64x64xf32>) -> (tensor<f32>, tensor<?x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x64xf32>
  %init = tensor.empty(%rows) : tensor<?x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
  %none = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%h : tensor<?x64xf32>) outs(%start : tensor<f32>) dimensions = [0, 1]
  %y = math.exp %h : tensor<?x64xf32>
  return %loss, %y : tensor<f32>, tensor<?x64xf32>
}

// Bytes of each op's result, from the bounds 4 and 6 of two dimensions of 4 bytes an
// element: collapsed 4 * 6, expanded again, a slice of 2 columns, padded by 1 and 2 rows,
// joined along rows, sums of rows, a sum of sizes.
// SHAPES: v 96 a %arg0
// SHAPES: v 96 - %{{.*}} math.exp
// SHAPES: v 96 - %{{.*}} math.cos
// SHAPES: v 96 - %{{.*}} math.sin
// SHAPES: v 32 - %{{.*}} math.tanh
// SHAPES: v 168 - %{{.*}} tensor.pad
// SHAPES: v 192 - %{{.*}} tensor.concat
// SHAPES: v 16 r %{{.*}} linalg.reduce
// SHAPES: v 40 r %{{.*}} linalg.map
func.func @shapes(%x: tensor<?x?xf32> {memopt.dim_bounds = array<i64: 4, 6>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %exp = math.exp %x : tensor<?x?xf32>
  %flat = tensor.collapse_shape %exp [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %cos = math.cos %flat : tensor<?xf32>
  %again = tensor.expand_shape %cos [[0, 1]] output_shape [%rows, %columns] : tensor<?xf32> into tensor<?x?xf32>
  %sin = math.sin %again : tensor<?x?xf32>
  %slice = tensor.extract_slice %sin[0, 0] [%rows, 2] [1, 1] : tensor<?x?xf32> to tensor<?x2xf32>
  %tanh = math.tanh %slice : tensor<?x2xf32>
  %padded = tensor.pad %sin low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %joined = tensor.concat dim(0) %sin, %exp : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %none = tensor.empty(%rows) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<?xf32>) -> tensor<?xf32>
  %loss = linalg.reduce { arith.addf } ins(%sin : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  %sum = arith.addi %rows, %columns : index
  %long = tensor.empty(%sum) : tensor<?xf32>
  %used = tensor.extract %padded[%c0, %c0] : tensor<?x?xf32>
  %used1 = tensor.extract %joined[%c0, %c0] : tensor<?x?xf32>
  %used2 = tensor.extract %tanh[%c0, %c0] : tensor<?x2xf32>
  %used3 = tensor.extract %loss[%c0] : tensor<?xf32>
  %grad = linalg.map outs(%long : tensor<?xf32>) (%out: f32) {
    %a = arith.addf %used, %used1 : f32
    %b = arith.addf %used2, %used3 : f32
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return %loss, %grad : tensor<?xf32>, tensor<?xf32>
}
