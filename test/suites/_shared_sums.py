"""Sums of which several blocks have a part each, and how to see that nothing depends on which block is when."""
import numpy as np

from _kernel_cases import BF16, LOWEST, WIDE, Cases, fill, normal, reduce, t
from _kernels import run_step


def add_columns(cases, rows, cols, e="f32"):
    """Two sums down the columns, one of a product."""
    x, y = normal(rows, cols), normal(rows, cols)
    if e == "bf16":
        x, y = (run_step.from_bf16(run_step.to_bf16(a)) for a in (x, y))
    xt, st = t(rows, cols, e=e), t(cols)
    body = fill("z", st, "0.0") + f"""%s:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>],
    iterator_types = ["reduction", "parallel"]}} ins(%x, %y : {xt}, {xt}) outs(%z, %z : {st}, {st}) {{
^bb0(%xi: {e}, %yi: {e}, %a: f32, %b: f32):
""" + ("%xw = arith.extf %xi : bf16 to f32\n%yw = arith.extf %yi : bf16 to f32\n" if e == "bf16" else
       "%n = arith.constant 0.0 : f32\n%xw = arith.addf %xi, %n : f32\n%yw = arith.addf %yi, %n : f32\n") + f"""
  %p = arith.mulf %xw, %yw : f32
  %an = arith.addf %a, %p : f32
  %bn = arith.addf %b, %yw : f32
  linalg.yield %an, %bn : f32, f32
}} -> ({st}, {st})"""
    want = [(x.astype(WIDE) * y).sum(0), y.astype(WIDE).sum(0)]
    cases.add(f"sums of {rows} rows of {cols} {e}", "column_reduction", [("x", xt, x), ("y", xt, y)],
              [("%s#0", st), ("%s#1", st)], body, want, 1e-6, rows**0.5)


def add_norm_gradients(cases, rows, cols, e="f32"):
    """All gradients of a norm, which are sums of rows and sums of columns: one kernel on the GPU."""
    x, g, w = normal(rows, cols), normal(rows, cols), normal(cols)
    if e == "bf16":
        g, w = (run_step.from_bf16(run_step.to_bf16(a)) for a in (g, w))
    xt, gt, wt, rt = t(rows, cols), t(rows, cols, e=e), t(cols, e=e), t(rows)
    wide = x.astype(WIDE) - x.astype(WIDE).mean(1, keepdims=True)
    rstd = (1 / np.sqrt((wide**2).mean(1, keepdims=True) + WIDE(1e-5))).astype(np.float32)
    h = (wide * rstd).astype(np.float32)
    gw = g.astype(WIDE) * w
    dx = rstd * (gw - gw.mean(1, keepdims=True) - h * (gw * h).mean(1, keepdims=True))
    body = (f"%dx, %dw, %db = memopt.norm_output_grad layer %g, %h, %r gamma(%w)"
            f" : ({gt}, {xt}, {rt}, {wt}) -> ({gt}, {wt}, {wt})")
    tolerance = 6e-6 if e == "f32" else 2 * BF16
    cases.add(f"norm gradients {rows} x {cols} {e}", "row_reduction",
              [("g", gt, g), ("h", xt, h), ("r", rt, rstd[:, 0]), ("w", wt, w)],
              [("%dx", gt), ("%dw", wt), ("%db", wt)], body,
              [dx, (g.astype(WIDE) * h).sum(0), g.astype(WIDE).sum(0)], tolerance, rows**0.5)


def add_long_rows(cases, shape, op="arith.addf", init="0.0", e="f32"):
    """One reduction of all but the leading dimension, or of everything."""
    x = normal(*shape)
    xt, st = t(*shape, e=e), t(*shape[:-1])
    body = ""
    if e == "bf16":
        x = run_step.from_bf16(run_step.to_bf16(x))
        body = f"%w = arith.extf %x : {xt} to {t(*shape)}\n"
    body += reduce("s", op, "w" if e == "bf16" else "x", t(*shape), init, [len(shape) - 1], shape)
    # A mean, so that something follows the sum.
    body += f"%n = arith.constant dense<{float(shape[-1])}> : {st}\n%r = arith.divf %s, %n : {st}"
    wide = x.astype(WIDE)
    want = (wide.sum(-1) if op == "arith.addf" else wide.max(-1)) / shape[-1]
    cases.add(f"{op} of long rows {shape} {e}", "row_reduction", [("x", xt, x)], [("%r", st)], body,
              [np.asarray(want)], 1e-6, shape[-1]**-0.5)


def add_all_shared(cases):
    for shape in ((1 << 16,), (100003,), (3, 131076), (2, 70006)):
        add_long_rows(cases, shape)
    add_long_rows(cases, (65540,), "arith.maximumf", LOWEST)
    add_long_rows(cases, (150008,), e="bf16")
    for rows, cols in ((1024, 32), (1000, 768), (4097, 5), (300, 2052), (2000, 1)):
        add_columns(cases, rows, cols)
    add_columns(cases, 1500, 136, "bf16")
    for rows, cols in ((700, 768), (1030, 100), (300, 36), (90, 520), (1300, 1028), (37, 20)):
        add_norm_gradients(cases, rows, cols)
    add_norm_gradients(cases, 40, 64, "bf16")
    add_norm_gradients(cases, 2048, 776, "bf16")


def check_order(suite, kernels_type):
    """The same bits whichever block comes last, and where the step runs again."""
    kernels = kernels_type()
    cases = Cases(suite, kernels)
    add_all_shared(cases)
    inputs = [values for _, values, *_ in cases.cases]
    cases.kernels.compile()
    first = None
    for order, times in (("forward", 1), ("reverse", 1), ("reverse", 2)):
        kernels.order, kernels.times = order, times
        outs = kernels.run(inputs)
        first = first or outs
        for (name, *_), got, want in zip(cases.cases, outs, first):
            same = all(g.tobytes() == w.tobytes() for g, w in zip(got, want))
            suite.check(f"{name}: same bits, {order}, run {times}", same, "other bits")
