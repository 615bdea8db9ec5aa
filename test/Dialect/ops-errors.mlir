// RUN: mem-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

func.func @integer(%x: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<4xi32>'}}
  %y = memopt.activation silu %x : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 16-bit float or bfloat16 type or 32-bit float or 64-bit float values, but got 'tensor<4xcomplex<f32>>'}}
  %y = memopt.activation silu %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %y = memopt.activation silu %x : tensor<*xf32> -> tensor<*xf32>
  return
}

// -----

func.func @kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [gelu_erf, gelu_tanh, quick_gelu, silu]}}
  %y = memopt.activation relu6 %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @shape(%x: tensor<4xf32>, %g: tensor<5xf32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %dx = memopt.activation_grad silu %g, %x : tensor<5xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

func.func @blocks(%x: tensor<4xf32>) {
  // expected-error @+1 {{body must have one block}}
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    cf.br ^bb1
  ^bb1:
    memopt.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{body arguments must have the types of the operands}}
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    memopt.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @yielded(%x: tensor<4xf32>) {
  // expected-error @+1 {{body must end in memopt.yield of values of the result types}}
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    memopt.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func private @print(tensor<4xf32>)
func.func @effects(%x: tensor<4xf32>) {
  // expected-error @+1 {{body must be free of side effects}}
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-note @+1 {{this op may have some}}
    func.call @print(%a) : (tensor<4xf32>) -> ()
    memopt.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_outside() {
  // expected-error @+1 {{expects parent op to be one of}}
  memopt.yield
}

// -----

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

func.func @threshold_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects 1, 3, 7 or 15 thresholds, got 2}}
  %code = memopt.encode %x thresholds [0.0, 1.0] : tensor<4xf32> -> tensor<1xi8>
  return
}

// -----

func.func @threshold_order(%x: tensor<4xf32>) {
  // expected-error @+1 {{thresholds must be finite and rising}}
  %code = memopt.encode %x thresholds [0.0, 1.0, 1.0] : tensor<4xf32> -> tensor<1xi8>
  return
}

// -----

func.func @threshold_finite(%x: tensor<4xf32>) {
  // expected-error @+1 {{thresholds must be finite and rising}}
  %code = memopt.encode %x thresholds [0x7FF0000000000000 : f64] : tensor<4xf32> -> tensor<1xi8>
  return
}

// -----

func.func @code_type(%x: tensor<3x8xf32>) {
  // expected-error @+1 {{codes of 2 bits for 'tensor<3x8xf32>' have type 'tensor<3x2xi8>', not 'tensor<6xi8>'}}
  %code = memopt.encode %x thresholds [-1.0, 0.0, 1.0] : tensor<3x8xf32> -> tensor<6xi8>
  return
}

// -----

// An odd count is flat, with a tail.
func.func @code_tail(%x: tensor<3x5xf32>) {
  // expected-error @+1 {{codes of 2 bits for 'tensor<3x5xf32>' have type 'tensor<4xi8>', not 'tensor<3xi8>'}}
  %code = memopt.encode %x thresholds [-1.0, 0.0, 1.0] : tensor<3x5xf32> -> tensor<3xi8>
  return
}

// -----

func.func @code_dynamic(%x: tensor<?x5xf32>) {
  // expected-error @+1 {{codes of 'tensor<?x5xf32>' need a static element count below 2^63 / 2, or a last dimension that fills whole bytes}}
  %code = memopt.encode %x thresholds [-1.0, 0.0, 1.0] : tensor<?x5xf32> -> tensor<?xi8>
  return
}

// -----

func.func @code_huge(%x: tensor<4611686018427387904x3xf32>) {
  // expected-error @+1 {{codes of 'tensor<4611686018427387904x3xf32>' need a static element count below 2^63 / 1}}
  %code = memopt.encode %x thresholds [0.0] : tensor<4611686018427387904x3xf32> -> tensor<?xi8>
  return
}

// -----

func.func @slope_count(%g: tensor<4xf32>, %code: tensor<1xi8>) {
  // expected-error @+1 {{expects 2, 4, 8 or 16 slopes, got 3}}
  %dx = memopt.step_grad %g, %code slopes [0.0, 0.5, 1.0] : tensor<4xf32>, tensor<1xi8> -> tensor<4xf32>
  return
}

// -----

func.func @slope_finite(%g: tensor<8xf32>, %code: tensor<1xi8>) {
  // expected-error @+1 {{slopes must be finite}}
  %dx = memopt.step_grad %g, %code slopes [0.0, 0x7FF8000000000000 : f64] : tensor<8xf32>, tensor<1xi8> -> tensor<8xf32>
  return
}

// -----

func.func @step_shape(%g: tensor<8xf32>, %code: tensor<1xi8>) {
  // expected-error @+1 {{expects one shape, got 'tensor<8xf32>' and 'tensor<2x4xf32>'}}
  %dx = memopt.step_grad %g, %code slopes [0.0, 1.0] : tensor<8xf32>, tensor<1xi8> -> tensor<2x4xf32>
  return
}

// -----

func.func @step_code(%g: tensor<8xf32>, %code: tensor<2xi8>) {
  // expected-error @+1 {{codes of 1 bits for 'tensor<8xf32>' have type 'tensor<1xi8>', not 'tensor<2xi8>'}}
  %dx = memopt.step_grad %g, %code slopes [0.0, 1.0] : tensor<8xf32>, tensor<2xi8> -> tensor<8xf32>
  return
}
