// RUN: mem-opt %s --memopt-approximate-activation-grad=coefficients=paper --verify-diagnostics
// RUN: not mem-opt %s --memopt-approximate-activation-grad=bits=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mem-opt %s --memopt-approximate-activation-grad=bits=5 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not mem-opt %s --memopt-approximate-activation-grad='bits=3 coefficients=paper' 2>&1 | FileCheck %s --check-prefix=PAPER
// RUN: not mem-opt %s --memopt-approximate-activation-grad=bits=two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not mem-opt %s --memopt-approximate-activation-grad=coefficients=best 2>&1 | FileCheck %s --check-prefix=BEST

// ZERO: error: memopt-approximate-activation-grad: bits must be 1 to 4, got 0
// FIVE: error: memopt-approximate-activation-grad: bits must be 1 to 4, got 5
// PAPER: error: memopt-approximate-activation-grad: coefficients=paper needs bits=2, got 3
// TWO: 'two' value invalid for uint argument!
// BEST: Cannot find option named 'best'!

func.func @step(%a: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = math.sin %a : tensor<8xf32>
  %y = memopt.activation quick_gelu %x : tensor<8xf32> -> tensor<8xf32>
  // expected-error @+1 {{coefficients=paper: the paper has no constants for quick_gelu; use coefficients=optimal}}
  %dx = memopt.activation_grad quick_gelu %g, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %y, %dx : tensor<8xf32>, tensor<8xf32>
}
