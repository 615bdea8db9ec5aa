// RUN: not mem-run %s --no-cache --pipeline='none=1' 2>&1 | FileCheck %s --check-prefix=NAME
// The options are those of memopt-pipeline, and judged as there.
// RUN: not mem-run %s --no-cache --pipeline='bits=0' 2>&1 | FileCheck %s --check-prefix=TOOL
// RUN: not mem-run %s --no-cache --pipeline='peak-budget=16' 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not mem-run %s --no-cache --pipeline='report-after=-' 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: mem-run %s --no-cache --pipeline='report-before=%t.before report-after=/dev/stderr' 2>%t.after \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.before
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t.after

// NAME: mem-run: {{.*}}: --pipeline: {{.*}}none
// TOOL: mem-run: {{.*}}: --pipeline: bits=0 is unknown: bits is one of 1, 2, 3, 4
// REPORT: mem-run: {{.*}}: --pipeline: a report on standard output would stand in the JSON; name a file for it, as /dev/stderr
// JSON: {{^}}{
// TABLE: saved
// BUDGET: error:
// BUDGET: mem-run: {{.*}}pipeline-errors.mlir: the step cannot be compiled
func.func @step(%x: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = math.exp %x : tensor<8xf32>
  %d = arith.mulf %y, %g : tensor<8xf32>
  return %y, %d : tensor<8xf32>, tensor<8xf32>
}
