"""Kernels with what they should give, and pieces of their bodies."""
import numpy as np

from _kernels import Kernels

RNG = np.random.default_rng(7)
WIDE = np.longdouble
BF16 = 2.0**-8


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def t(*shape, e="f32"):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{e}>"


class Cases:
    """Kernels with their inputs and what they should give."""

    def __init__(self, suite, kernels=None):
        self.suite, self.kernels, self.cases = suite, kernels or Kernels(), []

    def add(self, name, kind, args, results, body, want, tolerance=1e-6, floor=1e-30):
        """`args` is a list of (name, type, array); `want` holds an array a result, in the order of `results`,
        a list of (value, type). Floats may differ by `tolerance` of the largest value of their row, or of `floor` where that is larger:
        the size of what is added up, where terms cancel."""
        signature = ", ".join(f"%{n}: {ty}" for n, ty, _ in args)
        types = ", ".join(ty for _, ty in results)
        body += f"\nreturn {', '.join(v for v, _ in results)} : {types}"
        self.kernels.add(kind, f"({signature}) -> ({types})", body)
        self.cases.append((name, [a for _, _, a in args], want, tolerance, floor))

    def run(self):
        outs = self.kernels.compile().run([inputs for _, inputs, *_ in self.cases])
        for (name, _, want, tolerance, floor), got in zip(self.cases, outs):
            for i, (g, w) in enumerate(zip(got, want)):
                self.suite.check(f"{name} result {i}", *compare(g, np.asarray(w), tolerance, floor))


def compare(got, want, tolerance, floor):
    if got.shape != want.shape:
        return False, f"shape {got.shape}, expected {want.shape}"
    if want.dtype.kind in "iub":
        return np.array_equal(got.astype(np.int64), want.astype(np.int64)), f"{got} != {want}"
    got, want = got.astype(WIDE), want.astype(WIDE)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    finite = np.where(np.isfinite(want), np.abs(want), 0)
    scale = finite.max(axis=-1, keepdims=True) if want.ndim and want.size else finite
    with np.errstate(invalid="ignore"):
        bad = ~same & ~(np.abs(got - want) <= tolerance * np.maximum(scale, floor))
    worst = np.argmax(bad) if bad.any() else 0
    return not bad.any(), f"{bad.sum()} of {bad.size} off, {got.flat[worst] if got.size else ''} != {want.flat[worst] if want.size else ''}"


# Pieces of bodies: each defines %NAME.

def fill(name, type_, value):
    element = type_[:-1].split("x")[-1].removeprefix("tensor<")
    return f"""%{name}_c = arith.constant {value} : {element}
%{name}_e = tensor.empty() : {type_}
%{name} = linalg.fill ins(%{name}_c : {element}) outs(%{name}_e : {type_}) -> {type_}
"""


def reduce(name, op, x, type_, init, dims, shape, e="f32"):
    to = t(*[d for i, d in enumerate(shape) if i not in dims], e=e)
    return fill(f"{name}_i", to, init) + \
        f"%{name} = linalg.reduce {{ {op} }} ins(%{x} : {type_}) outs(%{name}_i : {to}) dimensions = {list(dims)}\n"


def broadcast(name, x, from_, to, dims):
    return f"""%{name}_e = tensor.empty() : {to}
%{name} = linalg.broadcast ins(%{x} : {from_}) outs(%{name}_e : {to}) dimensions = {list(dims)}
"""


LOWEST = "0xFF800000"
