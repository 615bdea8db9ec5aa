#!/usr/bin/env python3
"""Contraction and movement kernels of memopt-to-nvvm on the emulator, run against numpy in both
orders of threads: the cases of the CPU's, and products that do not fit into the workspace."""
import pathlib
import tempfile

import numpy as np

import cpu_products
from _kernels import optimize
from _mem_run import mem_run
from _suite import Suite

BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2}
STORED = {"bf16": np.float32, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32,
          "i64": np.int64}
# In the second round what does not fit into 3 MiB is done in pieces.
ROUNDS = {"forward": "sm_90", "reverse": "sm_80 gather-bytes=3145728"}


def element(type_):
    return type_[:-1].split("x")[-1].removeprefix("tensor<")


def store(array, type_):
    """As mem-run takes it: bf16 in f32."""
    return np.ascontiguousarray(array, dtype=STORED[element(type_)])


def load(array, type_):
    if element(type_) == "bf16" and array.dtype.itemsize == 2:
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def to_results(step, results):
    """The step with its last buffers in the arena, as results."""
    views, offsets, at = "", [], 0
    for buffer, type_ in results:
        count = int(np.prod([int(d) for d in type_[7:-1].split("x")[:-1]] or [1]))
        memref = type_.replace("tensor", "memref")
        step = step.replace(f"{buffer}: {memref}, ", "", 1)
        views += f"  {buffer}_at = arith.constant {at} : index\n"
        views += f"  {buffer} = memref.view %arena[{buffer}_at][] : memref<SIZExi8> to {memref}\n"
        offsets.append(f"{{offset = {at} : i64, type = {type_}}}")
        at += -(-count * BYTES[element(type_)] // 64) * 64
    step = step.replace("memref<64xi8>", f"memref<{at}xi8>").replace("arena_bytes = 64", f"arena_bytes = {at}")
    step = step.replace("memopt.results = []} {\n", f"memopt.results = [{', '.join(offsets)}]}} {{\n{views}")
    return step.replace("SIZE", str(at))


class Cases(cpu_products.Cases):
    """All kernels as one step, each result in the arena."""

    def step(self):
        """The planned step, and the arrays and result types of its kernels."""
        step = self.kernels.step()
        self.results, self.arrays = [], []
        for number, ((ins, outs), (_, inputs, *_)) in enumerate(zip(self.kernels.types, self.cases)):
            self.results += [(f"%b{number}_{len(ins) + i}", type_) for i, type_ in enumerate(outs)]
            self.arrays += [store(a, type_) for a, type_ in zip(inputs, ins)]
        return to_results(step, self.results)

    def run(self):
        step = self.step()
        with tempfile.TemporaryDirectory() as folder:
            for order, chip in ROUNDS.items():
                self.run_on(pathlib.Path(folder), step, self.arrays, [t for _, t in self.results], order, chip)

    def run_on(self, folder, step, arrays, types, order, chip):
        code = optimize(step, f"--memopt-to-nvvm=format=llvm chip={chip}")
        (folder / "step.mlir").write_text(code)
        np.savez(folder / "in.npz", **{f"arg{i}": a for i, a in enumerate(arrays)})
        exit_code, _, error = mem_run(folder / "step.mlir", "--target=emulator", f"--thread-order={order}",
                                      f"--inputs={folder}/in.npz", f"--save={folder}/out.npz", "--no-cache")
        if not self.suite.check(f"{order}, {chip}: runs", exit_code == 0, error.strip()[-500:]):
            return
        outs = np.load(folder / "out.npz")
        for i, ((name, _, want, tolerance), type_) in enumerate(zip(self.cases, types)):
            got = load(outs[f"res{i}"], type_)
            error = np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)
            self.suite.check(f"{name}, {order}", got.shape == want.shape and error <= tolerance,
                             f"relative error {error:.2e}")


def add_pieces(cases):
    """Heads of an attention are merged for a product: 3.2 MB, more than sm_80's workspace has for us."""
    x, w = cpu_products.numbers(4, 8, 400, 64), cpu_products.numbers(512, 3)
    args = [("x", cpu_products.t(x.shape), x), ("w", cpu_products.t(w.shape), w)]
    merged = ("%te = tensor.empty() : tensor<4x400x8x64xf32>\n"
              "%t = linalg.transpose ins(%x : tensor<4x8x400x64xf32>) outs(%te : tensor<4x400x8x64xf32>) permutation = [0, 2, 1, 3]\n"
              "%c = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<4x400x8x64xf32> into tensor<1600x512xf32>\n"
              + cpu_products.zeros("z", "tensor<1600x3xf32>"))
    product = "%p = linalg.matmul ins(%c, %w : tensor<1600x512xf32>, tensor<512x3xf32>) outs(%z : tensor<1600x3xf32>) -> tensor<1600x3xf32>\n"
    want = x.transpose(0, 2, 1, 3).reshape(1600, 512) @ w
    cases.add("merged heads in pieces", "contraction", args, "tensor<1600x3xf32>", merged + product.replace("%p =", "%y ="), want)
    w = cpu_products.numbers(512, 250)
    args = args[:1] + [("w", cpu_products.t(w.shape), w)]
    product, merged = product.replace("x3x", "x250x"), merged.replace("x3x", "x250x")
    want = x.transpose(0, 2, 1, 3).reshape(1600, 512) @ w
    rounded = cpu_products.pointwise("y", "%k = arith.constant 0.25 : f32\n%s = arith.mulf %i0, %k : f32\n%r = arith.truncf %s : f32 to f16",
                                     (1600, 250), [("p", "tensor<1600x250xf32>", "d0, d1")], "f16")
    cases.add("merged heads in pieces, scaled and rounded", "contraction", args, "tensor<1600x250xf16>", merged + product + rounded,
              want / 4, cpu_products.ROUNDING["f16"])
    g = cpu_products.numbers(1600, 3)
    body = ("%te = tensor.empty() : tensor<8x64x4x400xf32>\n"
            "%t = linalg.transpose ins(%x : tensor<4x8x400x64xf32>) outs(%te : tensor<8x64x4x400xf32>) permutation = [1, 3, 0, 2]\n"
            "%c = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<8x64x4x400xf32> into tensor<512x1600xf32>\n"
            + cpu_products.zeros("z", "tensor<512x3xf32>") +
            "%y = linalg.matmul ins(%c, %g : tensor<512x1600xf32>, tensor<1600x3xf32>) outs(%z : tensor<512x3xf32>) -> tensor<512x3xf32>\n")
    cases.add("gradient by merged heads in pieces", "contraction", args[:1] + [("g", "tensor<1600x3xf32>", g)], "tensor<512x3xf32>", body,
              x.transpose(1, 3, 0, 2).reshape(512, 1600) @ g)


def add_transposes(cases):
    """Of odd sizes, in batches, of narrow types, of slices."""
    for shape, perm, e in (((64, 96), (1, 0), "f32"), ((33, 65), (1, 0), "f32"), ((3, 40, 72), (0, 2, 1), "bf16"), ((5, 9, 33), (2, 0, 1), "f64"),
                           ((8, 50, 7, 12), (3, 1, 2, 0), "f32"), ((40, 31), (1, 0), "i64"), ((2, 31, 130), (0, 2, 1), "f16")):
        x = cpu_products.numbers(*shape) if e[0] != "i" else np.arange(np.prod(shape)).reshape(shape)
        y = x.transpose(perm)
        kind, turned = cpu_products.t(shape, e), cpu_products.t(y.shape, e)
        cases.add(f"turned tiles {shape} {perm} {e}", "movement", [("x", kind, x)], turned,
                  f"%e = tensor.empty() : {turned}\n%y = linalg.transpose ins(%x : {kind}) outs(%e : {turned}) permutation = {list(perm)}\n", y)
    x = cpu_products.numbers(50, 60)
    cases.add("a turned slice", "movement", [("x", cpu_products.t((50, 60)), x)], cpu_products.t((37, 41)),
              "%s = tensor.extract_slice %x[3, 5] [41, 37] [1, 1] : tensor<50x60xf32> to tensor<41x37xf32>\n"
              "%e = tensor.empty() : tensor<37x41xf32>\n"
              "%y = linalg.transpose ins(%s : tensor<41x37xf32>) outs(%e : tensor<37x41xf32>) permutation = [1, 0]\n", x[3:44, 5:42].T)


def main():
    suite = Suite()
    cases = Cases(suite)
    for add in (cpu_products.add_products, cpu_products.add_glue, cpu_products.add_rounded, cpu_products.add_convolutions,
                cpu_products.add_movement, add_pieces, add_transposes):
        add(cases)
    cases.run()
    suite.close()


if __name__ == "__main__":
    main()
