// RUN: mem-opt %s --memopt-to-cpu -split-input-file -verify-diagnostics

func.func @own(%x: memref<200x100xf32>, %y: memref<100xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{makes tensors of its own of at least 80000 bytes; the stack holds 65536: give what makes them a kernel of its own}}
  memopt.kernel opaque ins(%x : memref<200x100xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%in: tensor<200x100xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %doubled = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %in) -> (tensor<200x100xf32>) {
      %e = tensor.empty() : tensor<200x100xf32>
      %next = linalg.add ins(%acc, %acc : tensor<200x100xf32>, tensor<200x100xf32>) outs(%e : tensor<200x100xf32>) -> tensor<200x100xf32>
      scf.yield %next : tensor<200x100xf32>
    }
    %row = tensor.extract_slice %doubled[7, 0] [1, 100] [1, 1] : tensor<200x100xf32> to tensor<100xf32>
    memopt.yield %row : tensor<100xf32>
  }
  return
}
