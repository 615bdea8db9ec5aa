// What a step keeps from one run to the next, as the state of a dropout's random
// numbers, is put back after the measuring runs and before each repetition; the steps
// of a training go on from it.
// RUN: mem-run %s --no-cache --repeat=3 | FileCheck %s --check-prefix=ONCE
// RUN: mem-run %s --no-cache --steps=3 --optimizer=none | FileCheck %s --check-prefix=STEPS

// ONCE: "globals_bytes":8
// ONCE-SAME: "loss":[8]
// ONCE-SAME: "repeatable":true
// STEPS: "loss":[8,9,10]
ml_program.global private mutable @counter(dense<7> : tensor<i64>) : tensor<i64>
func.func @step(%x: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>) {
  %old = ml_program.global_load @counter : tensor<i64>
  %value = tensor.extract %old[] : tensor<i64>
  %one = arith.constant 1 : i64
  %next = arith.addi %value, %one : i64
  %new = tensor.from_elements %next : tensor<i64>
  ml_program.global_store @counter = %new : tensor<i64>
  %y = math.exp %x : tensor<4xf32>
  return %new, %y : tensor<i64>, tensor<4xf32>
}
