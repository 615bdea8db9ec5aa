#!/usr/bin/env python3
"""Loops that change a tensor element by element, as scatters that add: memopt-to-nvvm makes a thread
an element, which adds up in the loop's order. Run by the emulator in both orders of threads against numpy.
What needs an order among elements is refused by name."""
import numpy as np

import cpu_products
from _kernels import KernelError, optimize
from _suite import Suite
from cpu_products import RNG, numbers, t, zeros
from gpu_products import Cases

FOR = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
"""


def constants(**values):
    return FOR + "".join(f"%{n} = arith.constant {v} : index\n" for n, v in values.items())


def scatter_elements(rows, columns, count, e, update):
    """acc[ids[i], j] = update(acc[ids[i], j], x[i, j]), one element after the other."""
    to = t((rows, columns), e)
    return zeros("z", to) + constants(n=count, m=columns) + f"""
%y = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %z) -> ({to}) {{
  %id = tensor.extract %ids[%i] : {t((count,), "i64")}
  %at = arith.index_cast %id : i64 to index
  %row = scf.for %j = %c0 to %m step %c1 iter_args(%acc = %outer) -> ({to}) {{
    %new = tensor.extract %x[%i, %j] : {t((count, columns), e)}
    %old = tensor.extract %acc[%at, %j] : {to}
    {update}
    %next = tensor.insert %s into %acc[%at, %j] : {to}
    scf.yield %next : {to}
  }}
  scf.yield %row : {to}
}}
"""


def add_scatters(cases):
    x, ids = numbers(40, 12), RNG.integers(0, 9, 40)
    want = np.zeros((9, 12))
    np.add.at(want, ids, x)
    args = [("x", t(x.shape), x), ("ids", t((40,), "i64"), ids)]
    cases.add("scatter-add of elements", "opaque", args, t((9, 12)),
              scatter_elements(9, 12, 40, "f32", "%s = arith.addf %old, %new : f32"), want)
    last = np.zeros((9, 12))
    last[ids] = x
    cases.add("scatter, the last one stays", "opaque", args, t((9, 12)),
              scatter_elements(9, 12, 40, "f32", "%s = arith.addf %new, %new : f32"), 2 * last)
    args = [("x", t(x.shape, "bf16"), x), args[1]]
    cases.add("scatter-add in bf16", "opaque", args, t((9, 12), "bf16"),
              scatter_elements(9, 12, 40, "bf16", "%s = arith.addf %old, %new : bf16"), want, 2e-2)


def add_padding(cases):
    """An embedding's gradient: rows of the padding token are left out."""
    x, ids = numbers(30, 16), RNG.integers(0, 7, 30)
    want = np.zeros((7, 16))
    np.add.at(want, ids, np.where((ids == 3)[:, None], 0, x))
    body = zeros("z", t((7, 16))) + constants(n=30) + """%three = arith.constant 3 : i64
%y = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<7x16xf32>) {
  %id = tensor.extract %ids[%i] : tensor<30xi64>
  %isPadding = arith.cmpi eq, %id, %three : i64
  %next = scf.if %isPadding -> (tensor<7x16xf32>) {
    scf.yield %acc : tensor<7x16xf32>
  } else {
    %at = arith.index_cast %id : i64 to index
    %row = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : tensor<30x16xf32> to tensor<16xf32>
    %old = tensor.extract_slice %acc[%at, 0] [1, 16] [1, 1] : tensor<7x16xf32> to tensor<16xf32>
    %new = arith.addf %row, %old : tensor<16xf32>
    %with = tensor.insert_slice %new into %acc[%at, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<7x16xf32>
    scf.yield %with : tensor<7x16xf32>
  }
  scf.yield %next : tensor<7x16xf32>
}
"""
    cases.add("scatter-add without padding", "opaque", [("x", t(x.shape), x), ("ids", t((30,), "i64"), ids)], t((7, 16)), body, want)


def add_points(cases):
    """Both indices are computed, and a count is carried beside the tensor."""
    x, r, c = numbers(50), RNG.integers(0, 4, 50), RNG.integers(0, 5, 50)
    want = np.ones((4, 5))
    np.add.at(want, (r, c), x * np.arange(50))
    body = zeros("z", t((4, 5)), "1.0") + constants(n=50) + """%f0 = arith.constant 0.0 : f32
%f1 = arith.constant 1.0 : f32
%y, %count = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %k = %f0) -> (tensor<4x5xf32>, f32) {
  %r64 = tensor.extract %r[%i] : tensor<50xi64>
  %c64 = tensor.extract %c[%i] : tensor<50xi64>
  %ri = arith.index_cast %r64 : i64 to index
  %ci = arith.index_cast %c64 : i64 to index
  %v = tensor.extract %x[%i] : tensor<50xf32>
  %w = arith.mulf %v, %k : f32
  %old = tensor.extract %acc[%ri, %ci] : tensor<4x5xf32>
  %new = arith.addf %old, %w : f32
  %next = tensor.insert %new into %acc[%ri, %ci] : tensor<4x5xf32>
  %more = arith.addf %k, %f1 : f32
  scf.yield %next, %more : tensor<4x5xf32>, f32
}
"""
    cases.add("scatter-add at points", "opaque", [("x", t((50,)), x), ("r", t((50,), "i64"), r), ("c", t((50,), "i64"), c)], t((4, 5)),
              body, want)


REFUSED = {
    "a running sum": ("scf.for", zeros("z", t((8,))) + constants(n=8) + """
%y = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %x) -> (tensor<8xf32>) {
  %before = arith.subi %i, %c1 : index
  %a = tensor.extract %acc[%before] : tensor<8xf32>
  %b = tensor.extract %acc[%i] : tensor<8xf32>
  %s = arith.addf %a, %b : f32
  %next = tensor.insert %s into %acc[%i] : tensor<8xf32>
  scf.yield %next : tensor<8xf32>
}
"""),
    "a loop without an end that is known": ("scf.while", zeros("z", t((8,))) + """%one = arith.constant 1.0 : f32
%c0 = arith.constant 0 : index
%y = scf.while (%acc = %x) : (tensor<8xf32>) -> tensor<8xf32> {
  %a = tensor.extract %acc[%c0] : tensor<8xf32>
  %more = arith.cmpf olt, %a, %one : f32
  scf.condition(%more) %acc : tensor<8xf32>
} do {
^bb0(%acc: tensor<8xf32>):
  %next = arith.addf %acc, %acc : tensor<8xf32>
  scf.yield %next : tensor<8xf32>
}
"""),
    "one step of a sort": ("scf.for", constants(n=7) + """
%y = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<8xf32>) {
  %behind = arith.addi %i, %c1 : index
  %a = tensor.extract %acc[%i] : tensor<8xf32>
  %b = tensor.extract %acc[%behind] : tensor<8xf32>
  %low = arith.minimumf %a, %b : f32
  %high = arith.maximumf %a, %b : f32
  %first = tensor.insert %low into %acc[%i] : tensor<8xf32>
  %next = tensor.insert %high into %first[%behind] : tensor<8xf32>
  scf.yield %next : tensor<8xf32>
}
"""),
}


def refusals(suite):
    for name, (op, body) in REFUSED.items():
        cases = cpu_products.Cases(suite)
        cases.add(name, "opaque", [("x", t((8,)), numbers(8))], t((8,)), body, numbers(8))
        try:
            optimize(cases.kernels.step(), "--memopt-to-nvvm=format=llvm")
            error = "it was compiled"
        except KernelError as failure:
            error = str(failure)
        suite.check(f"{name} is refused", "has no GPU code: its outputs cannot be computed element by element" in error
                    and f"because of this '{op}'" in error, error[-400:])


def main():
    suite = Suite()
    cases = Cases(suite)
    for add in (cpu_products.add_opaque, add_scatters, add_padding, add_points):
        add(cases)
    cases.run()
    refusals(suite)
    suite.close()


if __name__ == "__main__":
    main()
