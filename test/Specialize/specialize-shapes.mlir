// RUN: mem-opt %s --memopt-specialize-shapes='function=shapes sizes=0:0=3,0:1=5' | FileCheck %s --check-prefix=SHAPES -enable-var-scope
// RUN: mem-opt %s --memopt-specialize-shapes='function=bounded sizes=0:0=4,0:1=8' | FileCheck %s --check-prefix=BOUNDED -enable-var-scope
// RUN: mem-opt %s --memopt-specialize-shapes='function=static' | FileCheck %s --check-prefix=STATIC -enable-var-scope

// Each op's shape follows from the arguments': reshapes, slices, pads, joins, rows of an
// init, and sums of sizes, which become constants.
// SHAPES-LABEL: func.func @shapes(
// SHAPES-SAME: %[[X:[a-z0-9]+]]: tensor<3x5xf32>) -> (tensor<3xf32>, tensor<8xf32>) {
// SHAPES-NOT: tensor.dim
// SHAPES: %[[EXP:.*]] = math.exp %[[X]] : tensor<3x5xf32>
// SHAPES: tensor.collapse_shape %[[EXP]] {{.*}} into tensor<15xf32>
// SHAPES: tensor.expand_shape {{.*}} output_shape [3, 5] : tensor<15xf32> into tensor<3x5xf32>
// SHAPES: tensor.extract_slice %{{.*}}[0, 0] [3, 2] [1, 1] : tensor<3x5xf32> to tensor<3x2xf32>
// SHAPES: tensor.pad
// SHAPES: } : tensor<3x5xf32> to tensor<6x5xf32>
// SHAPES: tensor.concat {{.*}} -> tensor<6x5xf32>
// SHAPES: linalg.reduce {{.*}} outs(%{{.*}} : tensor<3xf32>)
// SHAPES: tensor.empty() : tensor<8xf32>
// SHAPES-NOT: tensor.cast
// SHAPES-NOT: ?
// SHAPES: return
func.func @shapes(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
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
  %a = tensor.extract %padded[%c0, %c0] : tensor<?x?xf32>
  %b = tensor.extract %joined[%c0, %c0] : tensor<?x?xf32>
  %c = tensor.extract %slice[%c0, %c0] : tensor<?x2xf32>
  %ab = arith.addf %a, %b : f32
  %abc = arith.addf %ab, %c : f32
  %d = linalg.fill ins(%abc : f32) outs(%long : tensor<?xf32>) -> tensor<?xf32>
  return %loss, %d : tensor<?xf32>, tensor<?xf32>
}

// A step that was planned for bounds: fences stay, the bounds go.
// BOUNDED-LABEL: func.func @bounded(
// BOUNDED-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
// BOUNDED: %[[Y:.*]] = math.tanh %[[X]] : tensor<4x8xf32>
// BOUNDED: %[[LATE:.*]] = memopt.fence %[[X]] after %[[Y]] : tensor<4x8xf32>, tensor<4x8xf32>
// BOUNDED: %[[D:.*]] = arith.mulf %[[LATE]], %[[Y]] : tensor<4x8xf32>
// BOUNDED-NEXT: return %[[Y]], %[[D]]
func.func @bounded(%x: tensor<?x8xf32> {memopt.dim_bounds = array<i64: 4, 8>}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %y = math.tanh %x : tensor<?x8xf32>
  %late = memopt.fence %x after %y : tensor<?x8xf32>, tensor<?x8xf32>
  %d = arith.mulf %late, %y : tensor<?x8xf32>
  return %y, %d : tensor<?x8xf32>, tensor<?x8xf32>
}

// A step of static shapes is left as it is, simplified or not.
// STATIC-LABEL: func.func @static(
// STATIC: tensor.collapse_shape
// STATIC: tensor.expand_shape
// STATIC: return
func.func @static(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %again = tensor.expand_shape %flat [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %y = math.tanh %again : tensor<4x8xf32>
  %d = arith.mulf %x, %y : tensor<4x8xf32>
  return %y, %d : tensor<4x8xf32>, tensor<4x8xf32>
}
