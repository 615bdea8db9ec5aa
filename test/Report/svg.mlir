// RUN: mem-opt %s "--memopt-report=format=svg file=%t.alone.svg" -o /dev/null
// RUN: FileCheck %s --input-file=%t.alone.svg --check-prefix=ALONE
// RUN: mem-opt %s --memopt-remember=memory "--memopt-rematerialize=peak-budget=128 note-front" "--memopt-report=format=svg file=%t.svg" -o /dev/null
// RUN: FileCheck %s --input-file=%t.svg --check-prefixes=BOTH,PEAK
// RUN: %python -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" %t.svg
// RUN: mem-opt %s "--memopt-pipeline=saved-budget=0 report-after=- report-format=svg" -o /dev/null | FileCheck %s --check-prefixes=BOTH,SAVED
// RUN: mem-opt %s "--memopt-pipeline=report-before=- report-format=svg" -o /dev/null | FileCheck %s --check-prefix=ALONE
// RUN: mem-opt %s "--memopt-pipeline=report-after=%t.after.svg report-format=svg" | FileCheck %s --check-prefix=LEFT
// RUN: FileCheck %s --input-file=%t.after.svg --check-prefix=PLAIN
// RUN: mem-opt %s "--memopt-rematerialize=saved-budget=0" --memopt-report=format=svg -o /dev/null | FileCheck %s --check-prefix=UNNOTED

// A report can draw what it sees: 64 bytes of arguments, 192 of the step.
// ALONE:     >@step</text>
// ALONE-NOT: >before</text>
// ALONE:     >as written</text>
// ALONE:     >peak 256 B with arguments</text>
// ALONE-NOT: chosen

// What was noted of the step before stands beside it, with the front.
// BOTH:       >@step, rematerialized for h200</text>
// BOTH:       >before</text>
// BOTH-NEXT:  >peak 256 B with arguments</text>
// BOTH:       >after</text>
// BOTH-NEXT:  >peak 192 B with arguments</text>
// PEAK:       >recomputation, of the step, against peak</text>
// SAVED:      >recomputation, of the step, against saved bytes</text>
// BOTH:       >lower bound</text>
// BOTH:       >chosen</text>

// Without a budget there is no front, and no note leaves the pipeline.
// PLAIN:      >before</text>
// PLAIN:      >after</text>
// PLAIN-NOT:  chosen
// LEFT-NOT:   memopt.

// UNNOTED:     >@step, rematerialized for h200</text>
// UNNOTED:     >as written</text>
// UNNOTED-NOT: chosen
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = math.tanh %x : tensor<8xf32>
  %loss = math.exp %a : tensor<8xf32>
  %dx = arith.mulf %g, %a : tensor<8xf32>
  return %loss, %dx : tensor<8xf32>, tensor<8xf32>
}
