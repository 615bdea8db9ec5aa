// RUN: mem-opt %s "--memopt-rematerialize=peak-budget=128 picture=%t.svg" -o /dev/null
// RUN: FileCheck %s --input-file=%t.svg
// RUN: %python -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" %t.svg
// RUN: not mem-opt %s "--memopt-rematerialize=peak-budget=128 picture=%t/none/p.svg" 2>&1 | FileCheck %s --check-prefix=FILE

// CHECK:      <svg
// CHECK:      >@step, rematerialized for h200</text>
// 64 bytes of arguments; 192 bytes as captured, 128 as planned.
// CHECK:      >before</text>
// CHECK-NEXT: >peak 256 B with arguments</text>
// CHECK:      >after</text>
// CHECK-NEXT: >peak 192 B with arguments</text>
// CHECK:      >recomputed</text>
// CHECK:      >recomputation, of the step, against peak</text>
// CHECK:      </svg>
// FILE: error: memopt-rematerialize: cannot open output file
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
