#!/usr/bin/env python3
"""norm, norm_grad and norm_output_grad against extended precision: layer and rms,
affine or not, one or two normalised dimensions, every element type, dynamic rows."""
import numpy as np

from _numeric import EPS, Module, Suite, close, round_to, type_of

EPSILON = 1e-5


def statistics(kind, x, rank):
    axes = tuple(range(x.ndim - rank, x.ndim))
    mean = x.mean(axes, keepdims=True) if kind == "layer" else np.zeros((1,) * x.ndim)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + np.longdouble(EPSILON))
    return (x - mean) * rstd, rstd


def gradients(kind, g, xhat, rstd, gamma, rank):
    axes, leading = tuple(range(g.ndim - rank, g.ndim)), tuple(range(g.ndim - rank))
    scaled = g if gamma is None else g * gamma
    dx = scaled - xhat * (scaled * xhat).mean(axes, keepdims=True)
    if kind == "layer":
        dx = dx - scaled.mean(axes, keepdims=True)
    return rstd * dx, (g * xhat).sum(leading), g.sum(leading)


class Case:
    def __init__(self, module, kind, element, shape, rank=1, affine=True, dynamic=0, row="f32", seed=7):
        self.kind, self.element, self.shape, self.rank = kind, element, shape, rank
        self.compute = "f64" if element == "f64" else "f32"
        self.row = "f64" if element == "f64" else row
        self.affine, random = affine, np.random.default_rng(seed)
        scale = 10.0 ** random.integers(-2, 2, size=shape[:len(shape) - rank] + (1,) * rank)
        self.x = round_to(random.normal(size=shape) * scale + 3 * scale, element)
        self.g = round_to(random.normal(size=shape), element)
        rows = shape[len(shape) - rank:]
        self.gamma, self.beta = (round_to(random.normal(size=rows) + 1, self.row) for _ in range(2))
        x, w = type_of(shape, element, dynamic), type_of(rows, self.row, max(0, dynamic - len(shape) + rank))
        xhat = type_of(shape, self.compute, dynamic)
        rstd = type_of(shape[:len(shape) - rank], self.compute, dynamic)
        self.name = f"{kind} {x}, {rank} normalised{', affine in ' + self.row if affine else ''}"
        tail = f"{{normalized_rank = {rank} : i64}}"
        both, one = (" gamma(%w) beta(%b)", " gamma(%w)") if affine else ("", "")
        both_types, one_types = (f", {w}, {w}", f", {w}") if affine else ("", "")
        self.function = module.add(
            f"(%x: {x}, %g: {x}, %w: {w}, %b: {w}) -> ({x}, {xhat}, {rstd}, {x}, {w}, {w}, {x}, {w}, {w})",
            f"  %y, %xhat, %rstd = memopt.norm {kind} %x{both} epsilon 1.0e-5"
            f" : ({x}{both_types}) -> ({x}, {xhat}, {rstd}) attributes {tail}\n"
            f"  %dx, %dw, %db = memopt.norm_grad {kind} %g, %x{one} epsilon 1.0e-5"
            f" : ({x}, {x}{one_types}) -> ({x}, {w}, {w}) {tail}\n"
            f"  %ex, %ew, %eb = memopt.norm_output_grad {kind} %g, %xhat, %rstd{one}"
            f" : ({x}, {xhat}, {rstd}{one_types}) -> ({x}, {w}, {w}) {tail}\n"
            f"  return %y, %xhat, %rstd, %dx, %dw, %db, %ex, %ew, %eb"
            f" : {x}, {xhat}, {rstd}, {x}, {w}, {w}, {x}, {w}, {w}")

    def check(self, suite, results):
        x, g, gamma, beta = (a.astype(np.longdouble) for a in (self.x, self.g, self.gamma, self.beta))
        if not self.affine:
            gamma, beta = None, None
        with np.errstate(invalid="ignore"):
            xhat, rstd = statistics(self.kind, x, self.rank)
            dx, dw, db = gradients(self.kind, g, xhat, rstd, gamma, self.rank)
        y = xhat * gamma + beta if self.affine else xhat
        # x - mean loses |mean| / std units of the compute type.
        length = max(1, int(np.prod(self.shape[len(self.shape) - self.rank:])))
        unit = EPS[self.compute] * 8 * (length + int(np.prod(self.shape[:len(self.shape) - self.rank])))
        bound = lambda a: float(np.max(np.abs(a))) if a.size else 0.0
        for name, got, want, element, scale in [
                ("y", results[0], y, self.element, bound(y)), ("xhat", results[1], xhat, self.compute, bound(xhat)),
                ("rstd", results[2], rstd.reshape(results[2].shape), self.compute, bound(rstd)),
                *((f"{p}{n}", results[i], v, e, s) for p, base in (("", 3), ("shared ", 6)) for i, (n, v, e, s) in
                  enumerate([("dx", dx, self.element, bound(dx) + bound(rstd)), ("dgamma", dw, self.row, bound(dw) + 1),
                             ("dbeta", db, self.row, bound(db) + 1)], base))]:
            allowed = np.abs(want) * EPS[element] * 1.01 + unit * scale
            why = close(got, want, allowed)
            suite.check(f"{self.name}: {name}", not why, why)


def make_cases(module):
    cases = []
    for kind in ("layer", "rms"):
        for element in EPS:
            cases += [Case(module, kind, element, (4, 8)), Case(module, kind, element, (2, 3, 33), affine=False),
                      Case(module, kind, element, (3, 4, 5), rank=2), Case(module, kind, element, (2, 4, 8), dynamic=2)]
        cases += [Case(module, kind, "f32", (16,)), Case(module, kind, "f32", (6, 7), rank=2),
                  Case(module, kind, "f32", (6, 7), rank=2, dynamic=2), Case(module, kind, "f32", (5, 1)),
                  Case(module, kind, "f32", (0, 8), dynamic=1), Case(module, kind, "bf16", (4, 8), row="bf16"),
                  Case(module, kind, "f16", (128, 768))]
    return cases


def check_rounded(suite, module):
    """An xhat rounded to bf16 is accepted: exact to that rounding."""
    x, w, r = type_of((4, 8), "bf16"), type_of((8,), "f32"), type_of((4,), "f32")
    name = module.add(f"(%g: {x}, %xhat: {x}, %rstd: {r}) -> {x}",
                      f"  %dx, %dw, %db = memopt.norm_output_grad rms %g, %xhat, %rstd"
                      f" : ({x}, {x}, {r}) -> ({x}, {w}, {w})\n  return %dx : {x}")
    random = np.random.default_rng(9)
    g, xhat = (round_to(random.normal(size=(4, 8)), "bf16") for _ in range(2))
    rstd = np.abs(random.normal(size=4)).astype(np.float32)

    def check():
        want, _, _ = gradients("rms", *(a.astype(np.longdouble) for a in (g, xhat, rstd.reshape(4, 1))), None, 1)
        why = close(module.run(name, [g, xhat, rstd])[0], want, np.abs(want) * EPS["bf16"] * 1.01 + 1e-5)
        suite.check("xhat in bf16", not why, why)
    return check


def main():
    suite, module = Suite(), Module()
    cases, rounded = make_cases(module), check_rounded(suite, module)
    for case in cases:
        case.check(suite, module.run(case.function, [case.x, case.g, case.gamma, case.beta]))
    rounded()
    suite.close()


if __name__ == "__main__":
    main()
