// RUN: mem-opt %s -memopt-pipeline='function=double report-after=-' | FileCheck %s --check-prefix=DOUBLE
// RUN: mem-opt %s -memopt-pipeline='function=rounded report-after=-' | FileCheck %s --check-prefix=ROUNDED
// RUN: mem-opt %s -memopt-pipeline='function=brain report-after=-' | FileCheck %s --check-prefix=BRAIN
// RUN: not mem-opt %s -memopt-pipeline 2>&1 | FileCheck %s --check-prefix=AMBIGUOUS

// AMBIGUOUS: error: more than one function could be the training step: name one with function=
// AMBIGUOUS: note: @double could be
// AMBIGUOUS: note: @rounded could be
// AMBIGUOUS: note: @brain could be

// f64 weighs 8 bytes an element and stays f64.
// DOUBLE: saved activations 128 bytes
// DOUBLE-LABEL: func.func @double
// DOUBLE-NOT: f32
// DOUBLE: return
func.func @double(%x: tensor<16xf64>) -> (tensor<16xf64>, tensor<16xf64>) {
  %h = math.sin %x : tensor<16xf64>
  %loss = math.exp %h : tensor<16xf64>
  %d = arith.mulf %loss, %h : tensor<16xf64>
  return %loss, %d : tensor<16xf64>, tensor<16xf64>
}

// The value that was rounded to f16 is what the forward used and what is kept, 2 bytes
// an element; the wide one before it is not kept beside it.
// ROUNDED: saved activations 32 bytes 32 B in 1 storage
// ROUNDED: 32 1 x tensor<16xf16>, arith.truncf, arith.extf
// ROUNDED-LABEL: func.func @rounded
// ROUNDED: arith.truncf
// ROUNDED: arith.extf
// ROUNDED: math.exp
// ROUNDED: arith.extf
func.func @rounded(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %wide = math.sin %x : tensor<16xf32>
  %h = arith.truncf %wide : tensor<16xf32> to tensor<16xf16>
  %u = arith.extf %h : tensor<16xf16> to tensor<16xf32>
  %loss = math.exp %u : tensor<16xf32>
  %v = arith.extf %h : tensor<16xf16> to tensor<16xf32>
  %d = arith.mulf %loss, %v : tensor<16xf32>
  return %loss, %d : tensor<16xf32>, tensor<16xf32>
}

// BRAIN: saved activations 32 bytes
// BRAIN-LABEL: func.func @brain
// BRAIN-NOT: f32
// BRAIN: return
func.func @brain(%x: tensor<16xbf16>) -> (tensor<16xbf16>, tensor<16xbf16>) {
  %h = math.sin %x : tensor<16xbf16>
  %loss = math.exp %h : tensor<16xbf16>
  %d = arith.mulf %loss, %h : tensor<16xbf16>
  return %loss, %d : tensor<16xbf16>, tensor<16xbf16>
}
