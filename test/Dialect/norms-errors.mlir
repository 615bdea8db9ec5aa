// RUN: mem-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// memopt.norm
//===----------------------------------------------------------------------===//

func.func @rank_zero(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{normalized_rank must be between 1 and the rank of 'tensor<4x8xf32>', got 0}}
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) attributes {normalized_rank = 0 : i64}
  return
}

// -----

func.func @rank_high(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{normalized_rank must be between 1 and the rank of 'tensor<4x8xf32>', got 3}}
  %y, %xhat, %rstd = memopt.norm layer %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) attributes {normalized_rank = 3 : i64}
  return
}

// -----

func.func @gamma(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{gamma, beta and their gradients have the shape of a row of 'tensor<4x8xf32>', got 'tensor<4xf32>'}}
  %y, %xhat, %rstd = memopt.norm layer %x gamma(%w) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @epsilon(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{epsilon must be finite and at least 0}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon -1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @shape_y(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @shape_xhat(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rstd(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{rstd of 'tensor<4x8xf32>' has type 'tensor<4xf32>', not 'tensor<4x1xf32>'}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @xhat_type(%x: tensor<4x8xbf16>) {
  // expected-error @+1 {{xhat of 'tensor<4x8xbf16>' has elements of type 'f32', not 'bf16'}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @captures(%x: tensor<4x8xf32>, %c: tensor<f32>) {
  // expected-error @+1 {{captures need a body that reads them}}
  %y, %xhat, %rstd = memopt.norm rms %x captures(%c) epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @body(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{body must end in memopt.yield of values of the result types}}
  %y, %xhat, %rstd = memopt.norm rms %x epsilon 1.0e-5
      : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    memopt.yield %a : tensor<4x8xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// memopt.norm_grad
//===----------------------------------------------------------------------===//

func.func @grad_gamma(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{gamma, beta and their gradients have the shape of a row of 'tensor<4x8xf32>', got 'tensor<4xf32>'}}
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>)
  return
}

// -----

func.func @grad_epsilon(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{epsilon must be finite and at least 0}}
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 0x7FF0000000000000
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @grad_g(%g: tensor<8x4xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<8x4xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @grad_dx(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %dx, %dgamma, %dbeta = memopt.norm_grad layer %g, %x epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// memopt.norm_output_grad
//===----------------------------------------------------------------------===//

func.func @output_rank(%g: tensor<4x8xf32>, %r: tensor<4xf32>) {
  // expected-error @+1 {{normalized_rank must be between 1 and the rank of 'tensor<4x8xf32>', got -1}}
  %dx, %dgamma, %dbeta = memopt.norm_output_grad layer %g, %g, %r
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
      -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {normalized_rank = -1 : i64}
  return
}

// -----

func.func @output_rstd(%g: tensor<4x8xf32>, %r: tensor<4xbf16>) {
  // expected-error @+1 {{rstd of 'tensor<4x8xf32>' has type 'tensor<4xf32>', not 'tensor<4xbf16>'}}
  %dx, %dgamma, %dbeta = memopt.norm_output_grad layer %g, %g, %r
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xbf16>)
      -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @output_g(%g: tensor<8x4xf32>, %xhat: tensor<4x8xf32>, %r: tensor<4xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %dx, %dgamma, %dbeta = memopt.norm_output_grad layer %g, %xhat, %r
      : (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4xf32>)
      -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @output_dx(%g: tensor<4x8xf32>, %r: tensor<4xf32>) {
  // expected-error @+1 {{expects one shape, got 'tensor<4x8xf32>' and 'tensor<8x4xf32>'}}
  %dx, %dgamma, %dbeta = memopt.norm_output_grad layer %g, %g, %r
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
      -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// The fence returns what it is given.
func.func @fence(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{use of value '%x' expects different type than prior uses: 'tensor<8xf32>' vs 'tensor<4x8xf32>'}}
  %late = memopt.fence %x after %g : tensor<8xf32>, tensor<4xf32>
  // expected-note @-3 {{prior use here}}
  return
}
