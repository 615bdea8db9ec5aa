// RUN: not mem-opt %s --memopt-to-nvvm='chip=sm_70' -split-input-file 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not mem-opt %s --memopt-to-nvvm='format=exe' -split-input-file 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not mem-opt %s --memopt-to-nvvm='opt-level=4' -split-input-file 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not mem-opt %s --memopt-to-nvvm='gather-bytes=-1' -split-input-file 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not mem-opt %s --memopt-to-nvvm='format=bin toolkit=/nowhere' -split-input-file 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// RUN: mem-opt %s --memopt-to-nvvm='format=isa toolkit=/nowhere' -split-input-file -verify-diagnostics
// CHIP: memopt-to-nvvm: there is no code for chip 'sm_70'; known are sm_80 sm_90 sm_100
// FORMAT: memopt-to-nvvm: format is 'exe'; it may be isa, bin, fatbin or llvm
// LEVEL: memopt-to-nvvm: opt-level is 4; it may be 0, 1, 2 or 3
// GATHER: memopt-to-nvvm: gather-bytes is -1; it may be 0 or more
// TOOLKIT: memopt-to-nvvm: no ptxas in '/nowhere/bin': formats bin and fatbin need the CUDA toolkit, isa and llvm do not

func.func @step(%x: memref<4xf32>, %y: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.exp %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

// A function that no instruction of a GPU computes, and no arithmetic of ours.
func.func @step(%x: memref<4xf32>, %y: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{'math.atan' op of 'vector<4xf32>' has no GPU code}}
  memopt.kernel elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: tensor<4xf32>):
    %e = math.atan %in : tensor<4xf32>
    memopt.yield %e : tensor<4xf32>
  }
  return
}

// -----

// expected-error@+1 {{memopt-to-nvvm: no function has the attribute memopt.arena_bytes: put memopt-plan-memory before}}
module {
  func.func @step(%x: memref<4xf32>) {
    return
  }
}

// -----

func.func @step(%x: memref<4xf32>, %arena: memref<64xi8>) attributes {
    memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {
  // expected-error@+1 {{'memref.alloc' op between the kernels of a step has no GPU code}}
  %y = memref.alloc() : memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}
