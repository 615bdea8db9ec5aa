// RUN: not mem-opt %s --memopt-raise=forward-results=1 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not mem-opt %s --memopt-raise=forward-results=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mem-opt %s --memopt-raise=accept-deviation=0.02 2>&1 | FileCheck %s --check-prefix=DEVIATION
// RUN: not mem-opt %s --memopt-raise=accept-deviation=nan 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not mem-opt %s --memopt-raise=deviation=0.001 2>&1 | FileCheck %s --check-prefix=OPTION

// RESULT: error: memopt-raise: forward result 1 does not exist; the function has 1 result
// NEGATIVE: error: memopt-raise: forward result -1 does not exist
// DEVIATION: error: memopt-raise: accept-deviation must be from 0 to 0.01, got 0.02
// NAN: error: memopt-raise: accept-deviation must be from 0 to 0.01, got nan
// OPTION: no such option deviation
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
