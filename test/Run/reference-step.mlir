// Each step of the training runs the reference too, from the same parameters: two
// steps that are the same never part, and one that is off by 1/128 is so at every step.
// RUN: sed 's/1[.]0 : f32/1.0078125 : f32/' %s > %t.mlir
// RUN: mem-run %s --no-cache --steps=3 --lr=0.5 --parameters=0 --reference=%s \
// RUN:   | FileCheck %s --check-prefix=SAME
// RUN: mem-run %t.mlir --no-cache --steps=3 --lr=0.5 --parameters=0 --reference=%s \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/8xf32/4xf32/g' %s > %t.mlir
// RUN: not mem-run %t.mlir --no-cache --steps=3 --parameters=0 --reference=%s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TYPE

// SAME: "loss_difference":[0,0,0]
// SAME: "result_difference":[0,0,0]
// OTHER: "loss_difference":[0.00781{{[0-9]*}},0.00781{{[0-9]*}},0.00781{{[0-9]*}}]
// OTHER: "result_difference":[0.00781{{[0-9]*}},0.00781{{[0-9]*}},0.00781{{[0-9]*}}]
// TYPE: mem-run: --reference: argument 0 of the reference is f32[8], of the step f32[4]
func.func @step(%w: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>) {
  %factor = arith.constant 1.0 : f32
  %zero = arith.constant dense<0.0> : tensor<f32>
  %all = tensor.splat %factor : tensor<8xf32>
  %square = arith.mulf %w, %w : tensor<8xf32>
  %scaled = arith.mulf %square, %all : tensor<8xf32>
  %loss = linalg.reduce { arith.addf } ins(%scaled : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %g = arith.mulf %w, %all : tensor<8xf32>
  return %loss, %g : tensor<f32>, tensor<8xf32>
}
