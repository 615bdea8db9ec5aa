#!/usr/bin/env python3
"""Indices that a step asserts to be within a tensor, in each kind of kernel of memopt-to-nvvm, on the emulator:
where one is not, the run ends with the assertion's text and the kernel's name, never with the fault of a read
beyond the tensor, since the kernel goes on after a failed assertion."""
import pathlib
import re
import tempfile

import numpy as np

from _mem_run import mem_run
from _suite import Suite

ROWS, COLUMNS, IDS = 5, 24, 40
TABLE = np.linspace(-1, 1, ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
RANDOM = np.random.default_rng(5)
GOOD = RANDOM.integers(0, ROWS, IDS)
BAD = (ROWS, -1, 1 << 40, -(1 << 40), (1 << 63) - 1)

# A look-up that asserts its index, as torch-mlir writes embeddings.
LOOK_UP = """%e = tensor.empty() : tensor<40x24xf32>
%size = arith.constant 5 : i64
%zero = arith.constant 0 : i64
%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<40xi64>) outs(%e : tensor<40x24xf32>) {
^bb0(%id: i64, %o: f32):
  %below = arith.cmpi slt, %id, %size : i64
  cf.assert %below, "index must be smaller than dim size"
  %above = arith.cmpi sge, %id, %zero : i64
  cf.assert %above, "index must be larger or equal to 0"
  %at = arith.index_cast %id : i64 to index
  %j = linalg.index 1 : index
  %v = tensor.extract %table[%at, %j] : tensor<5x24xf32>
  linalg.yield %v : f32
} -> tensor<40x24xf32>
"""
# The same where the assertion stands in another op, whose result is returned: ids as they are.
APART = LOOK_UP.replace("ins(%ids", "ins(%checked").replace('  cf.assert %below, "index must be smaller than dim size"\n', "") \
    .replace('  cf.assert %above, "index must be larger or equal to 0"\n', "")
APART = """%ei = tensor.empty() : tensor<40xi64>
%five = arith.constant 5 : i64
%checked = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%ids : tensor<40xi64>) outs(%ei : tensor<40xi64>) {
^bb0(%id: i64, %o: i64):
  %ok = arith.cmpi ult, %id, %five : i64
  cf.assert %ok, "index must be smaller than dim size"
  linalg.yield %id : i64
} -> tensor<40xi64>
""" + APART
REDUCE = """%init = tensor.empty() : tensor<SIZExf32>
%none = arith.constant 0.0 : f32
%start = linalg.fill ins(%none : f32) outs(%init : tensor<SIZExf32>) -> tensor<SIZExf32>
%r = linalg.reduce { arith.addf } ins(%y : tensor<40x24xf32>) outs(%start : tensor<SIZExf32>) dimensions = [DIM]
"""
SLICE = """%c0 = arith.constant 0 : index
%size = arith.constant 5 : i64
%id = tensor.extract %ids[%c0] : tensor<40xi64>
%ok = arith.cmpi ult, %id, %size : i64
cf.assert %ok, "slice out of range"
%at = arith.index_cast %id : i64 to index
%r = tensor.extract_slice %table[%at, 0] [1, 24] [1, 1] : tensor<5x24xf32> to tensor<1x24xf32>
"""


def look_up(ids):
    return TABLE[ids]


# name: results as (value, type), body, what they are
STEPS = {
    "movement": ([("%y", "tensor<40x24xf32>")], LOOK_UP, lambda ids: [look_up(ids)]),
    "elementwise": ([("%r", "tensor<40x24xf32>")], LOOK_UP + "%r = math.exp %y : tensor<40x24xf32>\n",
                    lambda ids: [np.exp(look_up(ids))]),
    "rows": ([("%r", "tensor<40xf32>")], LOOK_UP + REDUCE.replace("SIZE", "40").replace("DIM", "1"),
             lambda ids: [look_up(ids).sum(1)]),
    "columns": ([("%r", "tensor<24xf32>")], LOOK_UP + REDUCE.replace("SIZE", "24").replace("DIM", "0"),
                lambda ids: [look_up(ids).sum(0)]),
    "a concatenation": ([("%r", "tensor<45x24xf32>")], LOOK_UP + "%r = tensor.concat dim(0) %y, %table : "
                        "(tensor<40x24xf32>, tensor<5x24xf32>) -> tensor<45x24xf32>\n",
                        lambda ids: [np.concatenate([look_up(ids), TABLE])]),
    "an operand of a product": ([("%r", "tensor<40x40xf32>")], LOOK_UP + """%p = tensor.empty() : tensor<40x40xf32>
%none = arith.constant 0.0 : f32
%start = linalg.fill ins(%none : f32) outs(%p : tensor<40x40xf32>) -> tensor<40x40xf32>
%turned_init = tensor.empty() : tensor<24x40xf32>
%turned = linalg.transpose ins(%y : tensor<40x24xf32>) outs(%turned_init : tensor<24x40xf32>) permutation = [1, 0]
%r = linalg.matmul ins(%y, %turned : tensor<40x24xf32>, tensor<24x40xf32>) outs(%start : tensor<40x40xf32>) -> tensor<40x40xf32>
""", lambda ids: [look_up(ids) @ look_up(ids).T]),
    "an assertion in another op": ([("%y", "tensor<40x24xf32>"), ("%checked", "tensor<40xi64>")], APART,
                                   lambda ids: [look_up(ids), ids]),
    "a slice": ([("%r", "tensor<1x24xf32>")], SLICE, lambda ids: [TABLE[ids[:1]]]),
}


def run(folder, body, results, ids, *options):
    types = ", ".join(type_ for _, type_ in results)
    (folder / "step.mlir").write_text(
        f"func.func @step(%table: tensor<5x24xf32>, %ids: tensor<40xi64>) -> (tensor<5x24xf32>, tensor<5x24xf32>, {types}) {{\n{body}"
        "%h = math.sin %table : tensor<5x24xf32>\n%loss = math.exp %h : tensor<5x24xf32>\n"
        "%d = arith.mulf %loss, %h : tensor<5x24xf32>\n"
        f"return %loss, %d, {', '.join(value for value, _ in results)} : tensor<5x24xf32>, tensor<5x24xf32>, {types}\n}}\n")
    np.savez(folder / "in.npz", arg0=TABLE, arg1=ids)
    return mem_run(folder / "step.mlir", f"--inputs={folder}/in.npz", f"--save={folder}/out.npz", "--no-cache", *options)


def check(suite, folder, name, results, body, want):
    for target in (["--target=cpu"], ["--target=emulator", "--thread-order=forward"],
                   ["--target=emulator", "--thread-order=reverse"]):
        label = f"{name}, {' '.join(target)}"
        code, _, error = run(folder, body, results, GOOD, *target)
        if not suite.check(f"{label}: indices within", code == 0, f"exit {code}: {error}"):
            continue
        found = np.load(folder / "out.npz")
        for i, array in enumerate(want(GOOD)):
            suite.check(f"{label}: result {i}", np.allclose(found[f"res{i + 2}"], array, rtol=1e-5, atol=1e-6))
        for bad in BAD:
            ids = GOOD.copy()
            ids[0] = bad
            code, _, error = run(folder, body, results, ids, *target)
            word = "slice out of range" if name == "a slice" else "index must be "
            kernel = r"assertion \d failed: \w+: " if "--target=emulator" in target else ""
            ok = code == 1 and re.search(kernel + word, error)
            suite.check(f"{label}: index {bad}", ok, f"exit {code}: {error[-500:]}")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as folder:
        for name, step in STEPS.items():
            check(suite, pathlib.Path(folder), name, *step)
    suite.close()


if __name__ == "__main__":
    main()
