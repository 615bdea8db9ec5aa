// RUN: mem-opt %s --memopt-to-linalg --split-input-file --verify-diagnostics
// RUN: not mem-opt --memopt-to-linalg=fence=soft %s 2>&1 | FileCheck %s

// CHECK: Cannot find option named 'soft'!

func.func @empty(%x: tensor<4xf32>, %g: tensor<0xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot wait for 'tensor<0xf32>', which has no element to read}}
  %late = memopt.fence %x after %g : tensor<4xf32>, tensor<0xf32>
  return %late : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4xf32>, %g: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot select on elements of type 'complex<f32>': expected a float, integer or index type}}
  %late = memopt.fence %x after %g : tensor<4xf32>, tensor<4xcomplex<f32>>
  return %late : tensor<4xf32>
}
