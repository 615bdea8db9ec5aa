// RUN: not mem-opt %s "--memopt-remember=forget memory" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mem-opt %s "--memopt-remember=ops function=other" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mem-opt %s "--memopt-report=format=svg function=rows" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mem-opt %s "--memopt-report=format=svg function=negative" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mem-opt %s "--memopt-report=function=counts" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: not mem-opt %s "--memopt-report=function=texts" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXTS
// RUN: not mem-opt %s "--memopt-report=format=svg function=dynamic" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DYNAMIC

// BOTH: error: memopt-remember: forget= goes without memory= and ops=
// OTHER: error: {{.*}}@other
// ROWS: error: 'before' in the attribute 'memopt.report' must be an array of 6 non-negative i64 for each entry
// NEGATIVE: error: 'front' in the attribute 'memopt.report' must be an array of 3 non-negative i64 for each entry
// COUNTS: error: 'memopt_ops' in the attribute 'memopt.report' must hold numbers
// TEXTS: error: 'left_alone' in the attribute 'memopt.report' must hold three strings for each op
// DYNAMIC: error: {{.*}}size
func.func @rows(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {memopt.report = {before = array<i64: 1, 2>}} {
  %y = math.exp %x : tensor<4xf32>
  %d = arith.mulf %y, %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

func.func @negative(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {memopt.report = {front = array<i64: 1, 2, -3>}} {
  %y = math.exp %x : tensor<4xf32>
  %d = arith.mulf %y, %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

func.func @counts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {memopt.report = {memopt_ops = {a = "b"}, left_alone = []}} {
  %y = math.exp %x : tensor<4xf32>
  %d = arith.mulf %y, %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

func.func @texts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {memopt.report = {memopt_ops = {}, left_alone = ["a"]}} {
  %y = math.exp %x : tensor<4xf32>
  %d = arith.mulf %y, %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

func.func @dynamic(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = math.exp %x : tensor<?xf32>
  %d = arith.mulf %y, %y : tensor<?xf32>
  return %y, %d : tensor<?xf32>, tensor<?xf32>
}
