// RUN: split-file %s %t
// RUN: mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/kept device=flops" --memopt-verify-plan --cse --memopt-verify-plan | FileCheck %s
// RUN: mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/kept dry-run" -o /dev/null | FileCheck %s --check-prefix=PLAN
// RUN: mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/kept backward-order=@%t/order" | FileCheck %s --check-prefix=ORDER
// RUN: mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/printed dry-run" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINTED
// RUN: mem-opt %t/step.mlir "--memopt-rematerialize=keep=@%t/partly dry-run" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTLY

// A product that is named is kept, by the last op of its name and through a
// view; everything else runs again, as late as possible.

// CHECK-LABEL: func.func @step(
// CHECK-NOT:   budget_bytes
// CHECK-SAME:  saved_bytes = 1024
// CHECK:       [[MM:%.+]] = linalg.matmul
// CHECK-NEXT:  [[P:%.+]] = linalg.add ins([[MM]],
// CHECK:       [[VIEW:%.+]] = tensor.expand_shape
// CHECK:       [[LOSS:%.+]] = math.exp
// CHECK-NEXT:  [[LATE:%.+]] = memopt.fence [[VIEW]] after [[LOSS]]
// CHECK-NEXT:  [[S:%.+]] = math.sin [[LATE]]
// CHECK-NEXT:  [[T:%.+]] = math.tanh [[S]]
// CHECK-NEXT:  [[DP:%.+]] = arith.mulf %{{.+}}, [[P]]
// CHECK-NEXT:  arith.mulf [[DP]], [[T]]

// PLAN:        saved 1024 bytes, recomputed 2 runs
// PLAN-NEXT:   keep 1024 bytes product linalg.add
// PLAN-NEXT:   recompute %{{[0-9]+}} math.sin
// PLAN-NEXT:   recompute tanh math.tanh

// The order has the recomputation of the sine before `dp` and the rest behind.

// ORDER-LABEL: func.func @step(
// ORDER:       [[LOSS:%.+]] = math.exp
// ORDER:       [[S:%.+]] = math.sin
// ORDER-NEXT:  [[DP:%.+]] = arith.mulf
// ORDER-NEXT:  [[LATE:%.+]] = memopt.fence [[S]] after [[DP]]
// ORDER-NEXT:  [[T:%.+]] = math.tanh [[LATE]]
// ORDER-NEXT:  arith.mulf [[DP]], [[T]]

// A value without a name goes by the number that plans are printed with.

// PRINTED-NOT: warning
// PRINTED:     keep 1024 bytes %4 math.sin

// PARTLY:      warning: memopt-rematerialize: keep=: 2 of 3 names are no values of the forward: nowhere, dp
// PARTLY:      keep 1024 bytes tanh math.tanh

//--- step.mlir
#product = loc("product")
func.func @step(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16x16xf32>, %g: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %zero = arith.constant 0.0 : f32 loc(#product)
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#product)
  %mm = linalg.matmul ins(%x, %w : tensor<16x16xf32>, tensor<16x16xf32>) outs(%init : tensor<16x16xf32>)
    -> tensor<16x16xf32> loc(#product)
  %p = linalg.add ins(%mm, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
    -> tensor<16x16xf32> loc(#product)
  %view = tensor.collapse_shape %p [[0, 1]] : tensor<16x16xf32> into tensor<256xf32> loc("view")
  %back = tensor.expand_shape %view [[0, 1]] output_shape [16, 16] : tensor<256xf32> into tensor<16x16xf32>
  %s = math.sin %back : tensor<16x16xf32>
  %t = math.tanh %s : tensor<16x16xf32> loc("tanh")
  %loss = math.exp %t : tensor<16x16xf32> loc("loss")
  %dp = arith.mulf %g, %p : tensor<16x16xf32> loc("dp")
  %dx = arith.mulf %dp, %t : tensor<16x16xf32> loc("dx")
  return %loss, %dx : tensor<16x16xf32>, tensor<16x16xf32>
}

//--- kept
# what another planner keeps
view   # a view of the product

//--- order
%4
dp
tanh
dx

//--- printed
%4

//--- partly
nowhere
tanh
dp
