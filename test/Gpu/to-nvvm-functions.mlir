// RUN: mem-opt %s --memopt-to-linalg --memopt-to-arena-pipeline=function=step --memopt-to-nvvm=format=isa | %source/tools/dev/gpu_image.py | FileCheck %s -enable-var-scope

// Functions of training steps: their kernels read and write 16 bytes at once. A row of
// f32 or bf16 is read whole before its sum.

// RMSNorm in bf16.
// CHECK-LABEL: .entry row_reduction_1(
// CHECK-COUNT-8: ld.global.nc.v4.b32
// CHECK-NOT: {{(ld|st)}}.global
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: st.global

// The gradient of a softmax.
// CHECK-LABEL: .entry row_reduction_2(
// CHECK-COUNT-16: ld.global.nc.v4.b32
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT: st.global

// The gradients of an RMSNorm: that of gamma is added up on the way. A row is read whole before
// its sum; then come the rows of a block, and the blocks.
// CHECK-LABEL: .entry row_reduction_3(
// CHECK-COUNT-8: ld.global.nc.v4.b32
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: ld.global.nc.v
// CHECK: ld.global.nc.b32
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: bar.sync
// CHECK-COUNT-4: st.global.v4.b32
// CHECK: fence.acq_rel.gpu
// CHECK: atom.global.inc.u32
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32

// CHECK-LABEL: .entry elementwise_4(

// SiLU and its code, 16 numbers a thread whose codes are 4 bytes; the input is read once.
// CHECK-LABEL: .entry row_reduction_5(
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global.v4.b32
// CHECK: st.global.b32
// CHECK-NOT: st.global

// The gradient from the code.
// CHECK-LABEL: .entry elementwise_6(
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK: ld.global.nc.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: st.global

// What the loss is made from stands first, so that all else is the backward's.
#points = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
func.func @step(%s: tensor<1xf32>, %x: tensor<64x1024xbf16>, %w: tensor<1024xbf16>, %p: tensor<64x1024xf32>, %g: tensor<64x1024xf32>,
                %xhat: tensor<64x512xf32>, %rstd: tensor<64xf32>, %gn: tensor<64x512xbf16>, %wn: tensor<512xbf16>,
                %a: tensor<64x3072xbf16>, %ga: tensor<64x2048xbf16>, %code: tensor<64x512xi8>)
    -> (tensor<1xf32>, tensor<64x1024xbf16>, tensor<64x1024xf32>, tensor<64x512xbf16>, tensor<512xbf16>, tensor<64x3072xbf16>,
        tensor<64x768xi8>, tensor<64x2048xbf16>) {
  %loss = math.exp %s : tensor<1xf32>
  %y, %yhat, %r = memopt.norm rms %x gamma(%w) epsilon 1.0e-5
      : (tensor<64x1024xbf16>, tensor<1024xbf16>) -> (tensor<64x1024xbf16>, tensor<64x1024xf32>, tensor<64xf32>)

  // The gradient of a softmax.
  %e = tensor.empty() : tensor<64x1024xf32>
  %gp = arith.mulf %g, %p : tensor<64x1024xf32>
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%gp : tensor<64x1024xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
  %dp = linalg.generic {indexing_maps = [#points, #points, #rows, #points], iterator_types = ["parallel", "parallel"]}
      ins(%g, %p, %sum : tensor<64x1024xf32>, tensor<64x1024xf32>, tensor<64xf32>) outs(%e : tensor<64x1024xf32>) {
  ^bb0(%i0: f32, %i1: f32, %i2: f32, %o: f32):
    %d = arith.subf %i0, %i2 : f32
    %m = arith.mulf %d, %i1 : f32
    linalg.yield %m : f32
  } -> tensor<64x1024xf32>

  %dx, %dw, %db = memopt.norm_output_grad rms %gn, %xhat, %rstd gamma(%wn)
      : (tensor<64x512xbf16>, tensor<64x512xf32>, tensor<64xf32>, tensor<512xbf16>) -> (tensor<64x512xbf16>, tensor<512xbf16>, tensor<512xbf16>)

  // An activation and its code are one launch, and so is the gradient from the code.
  %h = memopt.activation silu %a : tensor<64x3072xbf16> -> tensor<64x3072xbf16>
  %c = memopt.encode %a thresholds [-3.17, 0.0, 3.17] : tensor<64x3072xbf16> -> tensor<64x768xi8>
  %da = memopt.step_grad %ga, %code slopes [0.0, -0.05, 1.05, 1.0] : tensor<64x2048xbf16>, tensor<64x512xi8> -> tensor<64x2048xbf16>
  return %loss, %y, %dp, %dx, %dw, %h, %c, %da : tensor<1xf32>, tensor<64x1024xbf16>, tensor<64x1024xf32>, tensor<64x512xbf16>,
      tensor<512xbf16>, tensor<64x3072xbf16>, tensor<64x768xi8>, tensor<64x2048xbf16>
}
