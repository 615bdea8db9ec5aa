// RUN: mem-opt %s -split-input-file -verify-diagnostics -memopt-report -o /dev/null

func.func @dynamic(%x: tensor<?x1024xf32>, %g: tensor<?x1024xf32>)
    -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  // expected-error @+1 {{'math.tanh' makes a 'tensor<?x1024xf32>' of unknown size: dimension 0 is dynamic}}
  %a = math.tanh %x : tensor<?x1024xf32>
  %b = math.exp %a : tensor<?x1024xf32>
  %d = arith.mulf %g, %b : tensor<?x1024xf32>
  %e = arith.mulf %d, %a : tensor<?x1024xf32>
  return %b, %e : tensor<?x1024xf32>, tensor<?x1024xf32>
}

// -----

// One byte past what 64 bits hold.
func.func @huge(%x: tensor<4xf64>, %u: tensor<1048576x1048576x1048576xf64>)
    -> (tensor<4xf64>, tensor<1048576x1048576x1048576xf64>) {
  // expected-error @+1 {{'math.tanh' makes a 'tensor<1048576x1048576x1048576xf64>' of unknown size: its bytes pass 2^63 - 1}}
  %h = math.tanh %u : tensor<1048576x1048576x1048576xf64>
  %y = math.exp %x : tensor<4xf64>
  %d = math.exp %h : tensor<1048576x1048576x1048576xf64>
  return %y, %d : tensor<4xf64>, tensor<1048576x1048576x1048576xf64>
}

// -----

// Each fits, the sum does not.
func.func @sum(%x: tensor<4xi8>, %a: tensor<4611686018427387904xi8>, %b: tensor<4611686018427387904xi8>)
    -> (tensor<4xi8>, tensor<4611686018427387904xi8>, tensor<f32>) {
  %h = arith.addi %a, %a : tensor<4611686018427387904xi8>
  // expected-error @+1 {{with this value the saved activations pass 2^63 - 1 bytes}}
  %i = arith.addi %b, %b : tensor<4611686018427387904xi8>
  %y = arith.addi %x, %x : tensor<4xi8>
  %z = arith.constant dense<0.0> : tensor<f32>
  %d = arith.addi %h, %i : tensor<4611686018427387904xi8>
  return %y, %d, %z : tensor<4xi8>, tensor<4611686018427387904xi8>, tensor<f32>
}

// -----

// Nothing crosses, but these are alive together.
func.func @peak(%x: tensor<4xf32>, %a: tensor<4611686018427387904xi8>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %h = arith.addi %a, %a : tensor<4611686018427387904xi8>
  // expected-error @+1 {{the bytes alive at this op pass 2^63 - 1}}
  %i = arith.addi %h, %h : tensor<4611686018427387904xi8>
  %s = tensor.extract_slice %i[0] [4] [1] : tensor<4611686018427387904xi8> to tensor<4xi8>
  %d = arith.sitofp %s : tensor<4xi8> to tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{argument #1 is a 'tensor<?xf32>' of unknown size: dimension 0 is dynamic}}
func.func @argument(%x: tensor<4xf32>, %unused: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %d = math.exp %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{the bytes of the arguments pass 2^63 - 1}}
func.func @arguments(%x: tensor<4xf32>, %a: tensor<4611686018427387904xi8>, %b: tensor<4611686018427387904xi8>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %d = math.exp %y : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @unranked(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %u = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  // expected-error @+1 {{'math.tanh' makes a 'tensor<*xf32>' of unknown size: it is no ranked tensor}}
  %h = math.tanh %u : tensor<*xf32>
  %y = math.exp %x : tensor<4xf32>
  %v = tensor.cast %h : tensor<*xf32> to tensor<4xf32>
  %d = arith.mulf %v, %g : tensor<4xf32>
  return %y, %d : tensor<4xf32>, tensor<4xf32>
}
