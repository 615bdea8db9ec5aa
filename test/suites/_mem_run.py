"""Runs mem-run, and makes small compiled steps for it."""
import json
import subprocess

from _suite import BUILD

PROGRAM = BUILD / "bin" / "mem-run"

# loss = sum of w x over N elements; its gradient by w is x.
DOT = r"""
llvm.mlir.global external constant @memopt_step_description(
    "{\22arena_bytes\22:%(arena)d,\22arguments\22:[
      {\22type\22:\22f32\22,\22shape\22:[%(n)d]},{\22type\22:\22f32\22,\22shape\22:[%(n)d]}],
      \22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0},
      {\22type\22:\22f32\22,\22shape\22:[%(n)d],\22offset\22:64}]}\00")
llvm.func @memopt_step(%%arguments: !llvm.ptr, %%arena: !llvm.ptr) {
  %%w = llvm.load %%arguments : !llvm.ptr -> !llvm.ptr
  %%second = llvm.getelementptr %%arguments[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %%x = llvm.load %%second : !llvm.ptr -> !llvm.ptr
  %%gradient = llvm.getelementptr %%arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %%zero = llvm.mlir.constant(0 : i64) : i64
  %%one = llvm.mlir.constant(1 : i64) : i64
  %%count = llvm.mlir.constant(%(n)d : i64) : i64
  %%init = llvm.mlir.constant(0.0 : f32) : f32
  llvm.br ^loop(%%zero, %%init : i64, f32)
^loop(%%i: i64, %%sum: f32):
  %%more = llvm.icmp "slt" %%i, %%count : i64
  llvm.cond_br %%more, ^body, ^done
^body:
  %%w_at = llvm.getelementptr %%w[%%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %%x_at = llvm.getelementptr %%x[%%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %%g_at = llvm.getelementptr %%gradient[%%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %%wi = llvm.load %%w_at : !llvm.ptr -> f32
  %%xi = llvm.load %%x_at : !llvm.ptr -> f32
  %%product = llvm.fmul %%wi, %%xi : f32
  %%next_sum = llvm.fadd %%sum, %%product : f32
  llvm.store %%xi, %%g_at : f32, !llvm.ptr
  %%next = llvm.add %%i, %%one : i64
  llvm.br ^loop(%%next, %%next_sum : i64, f32)
^done:
  llvm.store %%sum, %%arena : f32, !llvm.ptr
  llvm.return
}
"""

# Writes every byte of its arena.
FILL = r"""
llvm.mlir.global external constant @memopt_step_description("{\22arena_bytes\22:%(bytes)d,\22arguments\22:[],\22results\22:[{\22type\22:\22f32\22,\22shape\22:[],\22offset\22:0}]}\00")
llvm.func @memopt_step(%%arguments: !llvm.ptr, %%arena: !llvm.ptr) {
  %%value = llvm.mlir.constant(1 : i8) : i8
  %%bytes = llvm.mlir.constant(%(bytes)d : i64) : i64
  "llvm.intr.memset"(%%arena, %%value, %%bytes) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  llvm.return
}
"""


def dot_product(n):
    """The text of a compiled step on two vectors of n float32 numbers."""
    text = DOT % {"n": n, "arena": 64 + 4 * n}
    # A string of MLIR has no line breaks.
    head, tail = text.split("\\00", 1)
    begin = head.index("{\\22")
    return head[:begin] + "".join(line.strip() for line in head[begin:].split("\n")) + "\\00" + tail


def mem_run(step, *options, **keywords):
    """Runs mem-run; returns (exit code, its JSON or None, standard error)."""
    done = subprocess.run([str(PROGRAM), str(step), *map(str, options)],
                          capture_output=True, text=True, **keywords)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = None
    return done.returncode, found, done.stderr
