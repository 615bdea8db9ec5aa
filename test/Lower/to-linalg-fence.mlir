// RUN: mem-opt %s --memopt-to-linalg | FileCheck %s -enable-var-scope
// RUN: mem-opt %s --memopt-to-linalg=fence=keep | FileCheck %s --check-prefix=KEEP
// RUN: mem-opt %s --memopt-to-linalg=fence=none | FileCheck %s --check-prefix=NONE
// RUN: mem-opt %s --memopt-to-linalg | %llvm_bin/mlir-opt --cse --canonicalize --sccp --cse --int-range-optimizations --canonicalize | FileCheck %s --check-prefix=STAYS -enable-var-scope
// RUN: mem-opt %s --memopt-to-linalg=fence=none | %llvm_bin/mlir-opt --cse | FileCheck %s --check-prefix=MERGED

#id = affine_map<(d0, d1) -> (d0, d1)>

// The select stands in the body that recomputes, on one element of %g. What is
// recomputed survives the passes that merge and fold; without the fence it is gone.
// CHECK-LABEL: @in_the_reader
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[G:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[ELEMENT:.*]] = tensor.extract %[[G]][%[[C0]]] : tensor<4xf32>
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[ELEMENT]] : f32 to i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[OR:.*]] = arith.ori %[[BITS]], %[[ONE]] : i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[TRUE:.*]] = arith.cmpi ne, %[[OR]], %[[ZERO]] : i32
// CHECK-NEXT: %[[SAME:.*]] = arith.select %[[TRUE]], %[[IN]], %{{.*}} : f32
// CHECK-NEXT: math.tanh %[[SAME]]
// CHECK: return %[[Y]], %[[Z]]

// KEEP-LABEL: @in_the_reader
// KEEP: memopt.fence
// KEEP-NOT: arith.select

// NONE-LABEL: @in_the_reader
// NONE-SAME: (%[[X:.*]]: tensor<4x8xf32>,
// NONE-COUNT-2: linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
// NONE-NOT: arith.select

// STAYS-LABEL: @in_the_reader
// STAYS-COUNT-2: math.tanh
// MERGED-LABEL: @in_the_reader
// MERGED-COUNT-1: math.tanh
// MERGED-NOT: math.tanh
// MERGED-LABEL: @before_a_named_op
func.func @in_the_reader(%x: tensor<4x8xf32>, %g: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = math.tanh %in : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  %late = memopt.fence %x after %g : tensor<4x8xf32>, tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%late : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = math.tanh %in : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// A reader without a body gets a generic in front of it.
// CHECK-LABEL: @before_a_named_op
// CHECK-SAME: (%[[X:.*]]: tensor<4x4xbf16>, %[[G:[^ ]*]]: tensor<i1>)
// CHECK: %[[LATE:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x4xbf16>)
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[G]][] : tensor<i1>
// CHECK-NEXT: %[[NUMBER:.*]] = arith.uitofp %[[ELEMENT]] : i1 to f32
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[NUMBER]] : f32 to i32
// CHECK: arith.select
// CHECK: linalg.transpose ins(%[[LATE]] :
// STAYS-LABEL: @before_a_named_op
// STAYS: linalg.transpose
// STAYS: arith.select
// STAYS: linalg.transpose
func.func @before_a_named_op(%x: tensor<4x4xbf16>, %g: tensor<i1>) -> (tensor<4x4xbf16>, tensor<4x4xbf16>) {
  %e = tensor.empty() : tensor<4x4xbf16>
  %y = linalg.transpose ins(%x : tensor<4x4xbf16>) outs(%e : tensor<4x4xbf16>) permutation = [1, 0]
  %late = memopt.fence %x after %g : tensor<4x4xbf16>, tensor<i1>
  %z = linalg.transpose ins(%late : tensor<4x4xbf16>) outs(%e : tensor<4x4xbf16>) permutation = [1, 0]
  return %y, %z : tensor<4x4xbf16>, tensor<4x4xbf16>
}

// A size needs no select: it is that of the operand. Integers and indices wait, too.
// CHECK-LABEL: @sizes_and_integers
// CHECK-SAME: (%[[X:.*]]: tensor<?xi64>, %[[G:.*]]: tensor<3xindex>)
// CHECK: tensor.dim %[[X]]
// CHECK: tensor.extract %[[G]]
// CHECK-NOT: bitcast
// CHECK: arith.select %{{.*}} : i64
func.func @sizes_and_integers(%x: tensor<?xi64>, %g: tensor<3xindex>) -> (index, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %late = memopt.fence %x after %g : tensor<?xi64>, tensor<3xindex>
  %d = tensor.dim %late, %c0 : tensor<?xi64>
  return %d, %late : index, tensor<?xi64>
}

// A memopt op that reads the fence is lowered first, so the select is in its body.
// CHECK-LABEL: @in_a_memopt_op
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: arith.select
// CHECK: math.erfc
func.func @in_a_memopt_op(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %late = memopt.fence %x after %g : tensor<4xf32>, tensor<4xf32>
  %y = memopt.activation gelu_erf %late : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// An init of which only the shape is used: the select is of what is written, without an op of
// its own, so that an iota waits, too.
// CHECK-LABEL: @unread_init
// CHECK-SAME: (%[[G:.*]]: tensor<4xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xi64>
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[E]] : tensor<8xi64>)
// CHECK: linalg.index 0
// CHECK: %[[I:.*]] = arith.index_cast
// CHECK: tensor.extract %[[G]]
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[I]], %{{.*}} : i64
// CHECK: linalg.yield %[[S]]
// CHECK-NOT: linalg.generic
func.func @unread_init(%g: tensor<4xf32>) -> tensor<8xi64> {
  %e = tensor.empty() : tensor<8xi64>
  %late = memopt.fence %e after %g : tensor<8xi64>, tensor<4xf32>
  %iota = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%late : tensor<8xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %y = arith.index_cast %i : index to i64
    linalg.yield %y : i64
  } -> tensor<8xi64>
  return %iota : tensor<8xi64>
}

// No element of x, nothing to fence, whatever there is to wait for.
// CHECK-LABEL: @nothing
// CHECK-SAME: (%[[X:.*]]: tensor<0x4xf32>
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<0x4xf32>, %g: tensor<0xf32>) -> tensor<0x4xf32> {
  %late = memopt.fence %x after %g : tensor<0x4xf32>, tensor<0xf32>
  return %late : tensor<0x4xf32>
}
