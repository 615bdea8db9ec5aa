// RUN: mem-opt %s --memopt-raise=forward-results=0,1 | FileCheck %s --enable-var-scope
// RUN: mem-opt %s --memopt-raise --verify-diagnostics -o /dev/null

// Two norms of one tensor that share its statistics, as in parallel blocks: two
// ops, and no statistics outside them.
// CHECK-LABEL: func.func @parallel
// CHECK-SAME:  %[[X:.*]]: tensor<4x8xf64>, %[[V:.*]]: tensor<8xf64>, %[[W:.*]]: tensor<8xf64>
// CHECK-DAG:   %[[ONE:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[X]] gamma(%[[V]])
// CHECK-DAG:   %[[TWO:.*]], %{{.*}}, %{{.*}} = memopt.norm rms %[[X]] gamma(%[[W]])
// CHECK:       return %[[ONE]], %[[TWO]]
func.func @parallel(%x: tensor<4x8xf64>, %v: tensor<8xf64>, %w: tensor<8xf64>) -> (tensor<4x8xf64>, tensor<4x8xf64>) {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant dense<8.0> : tensor<4xf64>
  %eps = arith.constant dense<1.0e-6> : tensor<4xf64>
  %er = tensor.empty() : tensor<4xf64>
  %ef = tensor.empty() : tensor<4x8xf64>
  %init = linalg.fill ins(%zero : f64) outs(%er : tensor<4xf64>) -> tensor<4xf64>
  %asq = arith.mulf %x, %x : tensor<4x8xf64>
  %ass = linalg.reduce { arith.addf } ins(%asq : tensor<4x8xf64>) outs(%init : tensor<4xf64>) dimensions = [1]
  %ams = arith.divf %ass, %n : tensor<4xf64>
  %ame = arith.addf %ams, %eps : tensor<4xf64>
  %ar = math.rsqrt %ame : tensor<4xf64>
  %arb = linalg.broadcast ins(%ar : tensor<4xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [1]
  // Where only the first result is made by the forward, xhat is read by another op.
  // expected-remark @below {{RMSNorm is left as it is: this value of it is read by an op that is no part of it}}
  %axhat = arith.mulf %x, %arb : tensor<4x8xf64>
  %awb = linalg.broadcast ins(%v : tensor<8xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [0]
  %one = arith.mulf %axhat, %awb : tensor<4x8xf64>
  %bwb = linalg.broadcast ins(%w : tensor<8xf64>) outs(%ef : tensor<4x8xf64>) dimensions = [0]
  %two = arith.mulf %axhat, %bwb : tensor<4x8xf64>
  return %one, %two : tensor<4x8xf64>, tensor<4x8xf64>
}
