// RUN: mem-opt %s -split-input-file -verify-diagnostics --memopt-form-kernels

func.func private @callee(tensor<4xf32>) -> tensor<4xf32>
func.func @call(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@below {{memopt-form-kernels: 'func.call' has side effects, or is not known to have none: it cannot be part of a kernel}}
  %y = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %dx = arith.mulf %x, %y : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @mixed(%x: tensor<4xf32>, %c: i1, %s: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@below {{memopt-form-kernels: 'scf.if' makes tensors and scalars at once: a kernel makes tensors only}}
  %y, %t = scf.if %c -> (tensor<4xf32>, f32) {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e, %s : tensor<4xf32>, f32
  } else {
    scf.yield %x, %s : tensor<4xf32>, f32
  }
  %all = tensor.splat %t : tensor<4xf32>
  %dx = arith.mulf %all, %y : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @raised(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@below {{memopt-form-kernels: 'memopt.activation' is not lowered: put memopt-to-linalg before}}
  %y = memopt.activation silu %x : tensor<4xf32> -> tensor<4xf32>
  %dx = arith.mulf %x, %y : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@below {{memopt-form-kernels: 'memopt.kernel' is a kernel already: the pass runs once}}
  %y = memopt.kernel elementwise ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%in: tensor<4xf32>):
    %r = math.exp %in : tensor<4xf32>
    memopt.yield %r : tensor<4xf32>
  }
  %dx = arith.mulf %x, %y : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @hidden(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %y = math.exp %x : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  // expected-note@below {{it is this 'linalg.transpose'}}
  %t = linalg.transpose ins(%y : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0]
  // expected-error@below {{memopt-form-kernels: 'tensor.extract' stands between kernels and reads a tensor that takes no memory of its own}}
  %s = tensor.extract %t[%c0, %c0] : tensor<2x2xf32>
  %all = tensor.splat %s : tensor<2x2xf32>
  %dx = arith.mulf %x, %all : tensor<2x2xf32>
  return %y, %dx : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// expected-error@below {{argument #0 is a 'tensor<?xf32>' of unknown size: dimension 0 is dynamic; memopt-specialize-shapes gives it a size}}
func.func @dynamic(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = math.exp %x : tensor<?xf32>
  %dx = arith.mulf %x, %y : tensor<?xf32>
  return %y, %dx : tensor<?xf32>, tensor<?xf32>
}
