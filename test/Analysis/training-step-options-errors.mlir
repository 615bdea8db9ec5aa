// RUN: not mem-opt %s -memopt-report='function=nowhere' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mem-opt %s -memopt-report='function=helper' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not mem-opt %s -memopt-report='forward-results=0,3' -o /dev/null 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not mem-opt %s -memopt-report='forward-results=-1' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mem-opt %s -memopt-report='forward-results=0,2' -o /dev/null 2>&1 | FileCheck %s --check-prefix=END
// RUN: mem-opt %s -memopt-report='forward-results=0,1' -o /dev/null | FileCheck %s --check-prefix=TWO
// RUN: mem-opt %s -memopt-report='function=inner' -o /dev/null | FileCheck %s --check-prefix=PRIVATE

// NAME: error: there is no function @nowhere
// BODY: error: @helper is no training step: it has no body
// RANGE: error: @step is no training step: forward result 3 is out of range: it returns 3 values
// NEGATIVE: error: @step is no training step: forward result -1 is out of range: it returns 3 values
// END: error: @step is no training step: no result is made after the forward's end
// TWO: training step @step: the forward ends at %1 (math.exp)
// TWO: saved activations 0 bytes 0 B in 0 storages, and 2 returned

func.func private @helper(tensor<8xf32>) -> tensor<8xf32>

// A private function is no candidate unless it is named.
// PRIVATE: training step @inner
func.func private @inner(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %y : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}

func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %h = math.tanh %x : tensor<8xf32>
  %y = math.exp %h : tensor<8xf32>
  %e = arith.mulf %h, %y : tensor<8xf32>
  %d = arith.mulf %e, %g : tensor<8xf32>
  return %h, %y, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
