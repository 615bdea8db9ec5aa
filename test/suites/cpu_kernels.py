#!/usr/bin/env python3
"""Elementwise kernels and reductions of memopt-to-cpu, run against numpy in extended precision."""
import math

import numpy as np

from _function_cases import add_doubles, add_powers
from _kernel_cases import BF16, LOWEST, RNG, WIDE, Cases, broadcast, fill, normal, reduce, t
from _kernels import run_step
from _suite import Suite

def softmax_body(rows, cols):
    x, r = t(rows, cols), t(rows)
    return (reduce("m", "arith.maximumf", "x", x, LOWEST, [1], (rows, cols)) + broadcast("mb", "m", r, x, [1])
            + f"%d = arith.subf %x, %mb : {x}\n%ex = math.exp %d : {x}\n"
            + reduce("s", "arith.addf", "ex", x, "0.0", [1], (rows, cols)) + broadcast("sb", "s", r, x, [1]))


def softmax(x):
    e = np.exp(x.astype(WIDE) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def add_softmax(cases, rows, cols):
    x, xt = normal(rows, cols) * 3, t(rows, cols)
    p = softmax(x)
    cases.add(f"softmax {cols}", "row_reduction", [("x", xt, x)], [("%p", xt)],
              softmax_body(rows, cols) + f"%p = arith.divf %ex, %sb : {xt}", [p], 2e-6)
    g, y = normal(rows, cols), p.astype(np.float32)
    cases.add(f"softmax gradient {cols}", "row_reduction", [("g", xt, g), ("y", xt, y)], [("%dx", xt)],
              f"%gy = arith.mulf %g, %y : {xt}\n" + reduce("s", "arith.addf", "gy", xt, "0.0", [1], (rows, cols))
              + broadcast("sb", "s", t(rows), xt, [1])
              + f"%gs = arith.subf %g, %sb : {xt}\n%dx = arith.mulf %y, %gs : {xt}",
              [y * (g - (g.astype(WIDE) * y).sum(1, keepdims=True))], 2e-6, 0.1)


def add_loss(cases, rows, cols):
    """Minus the mean log-likelihood of labels, one in three of them padding."""
    x, xt, r = normal(rows, cols) * 3, t(rows, cols), t(rows)
    labels = RNG.integers(0, cols, rows)
    labels[::3] = -100
    p = softmax(x)
    want = np.where(labels < 0, 0, -np.log(p[np.arange(rows), np.maximum(labels, 0)]))
    body = softmax_body(rows, cols) + f"""
%l = math.log %s : {r}
%picked_z = arith.constant 0.0 : f32
%picked_e = tensor.empty() : {r}
%picked_i = linalg.fill ins(%picked_z : f32) outs(%picked_e : {r}) -> {r}
%picked = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}} ins(%d, %y : {xt}, {t(rows, e='i64')}) outs(%picked_i : {r}) {{
^bb0(%in: f32, %label: i64, %sum: f32):
  %j = linalg.index 1 : index
  %k = arith.index_cast %j : index to i64
  %here = arith.cmpi eq, %k, %label : i64
  %zero = arith.constant 0.0 : f32
  %term = arith.select %here, %in, %zero : f32
  %next = arith.addf %sum, %term : f32
  linalg.yield %next : f32
}} -> {r}
%loss_e = tensor.empty() : {r}
%loss = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}} ins(%l, %picked, %y : {r}, {r}, {t(rows, e='i64')}) outs(%loss_e : {r}) {{
^bb0(%log: f32, %z: f32, %label: i64, %o: f32):
  %c = arith.constant -100 : i64
  %ispad = arith.cmpi eq, %label, %c : i64
  %nll = arith.subf %log, %z : f32
  %zero = arith.constant 0.0 : f32
  %v = arith.select %ispad, %zero, %nll : f32
  linalg.yield %v : f32
}} -> {r}"""
    cases.add(f"loss with padding {cols}", "row_reduction",
              [("x", xt, x), ("y", t(rows, e="i64"), labels)], [("%loss", r)], body, [want], 2e-6)


def add_norms(cases, rows, cols, e="f32"):
    x, g, w, b = normal(rows, cols) + 1, normal(rows, cols), normal(cols), normal(cols)
    eps = 1e-5
    tolerance = 3e-6 if e == "f32" else 2 * BF16
    xt, wt, rt, ht = t(rows, cols, e=e), t(cols, e=e), t(rows), t(rows, cols)
    if e == "bf16":
        x, g, w, b = (run_step.from_bf16(run_step.to_bf16(a)) for a in (x, g, w, b))
    for kind in ("layer", "rms"):
        wide = x.astype(WIDE)
        center = wide - wide.mean(1, keepdims=True) if kind == "layer" else wide
        rstd = 1 / np.sqrt((center**2).mean(1, keepdims=True) + WIDE(eps))
        xhat, gw = center * rstd, g.astype(WIDE) * w
        bias = f" beta(%b)" if kind == "layer" else ""
        types = f"{xt}, {wt}" + (f", {wt}" if kind == "layer" else "")
        args = [("x", xt, x), ("w", wt, w)] + ([("b", wt, b)] if kind == "layer" else [])
        cases.add(f"{kind} norm {cols} {e}", "row_reduction", args, [("%y", xt), ("%h", ht), ("%r", rt)],
                  f"%y, %h, %r = memopt.norm {kind} %x gamma(%w){bias} epsilon 1.0e-5 : ({types}) -> ({xt}, {ht}, {rt})",
                  [xhat * w + (b if kind == "layer" else 0), xhat, rstd[:, 0]], tolerance)
        dx = rstd * (gw - (gw.mean(1, keepdims=True) if kind == "layer" else 0)
                     - xhat * (gw * xhat).mean(1, keepdims=True))
        cases.add(f"{kind} norm gradient {cols} {e}", "row_reduction",
                  [("g", xt, g), ("x", xt, x), ("w", wt, w)], [("%dx", xt)],
                  f"%dx, %dw, %db = memopt.norm_grad {kind} %g, %x gamma(%w) epsilon 1.0e-5"
                  f" : ({xt}, {xt}, {wt}) -> ({xt}, {wt}, {wt})", [dx], 2 * tolerance)
        cases.add(f"{kind} norm gradient from its output {cols} {e}", "row_reduction",
                  [("g", xt, g), ("h", ht, xhat.astype(np.float32)), ("r", rt, rstd[:, 0].astype(np.float32)), ("w", wt, w)],
                  [("%dx", xt)], f"%dx, %dw, %db = memopt.norm_output_grad {kind} %g, %h, %r gamma(%w)"
                  f" : ({xt}, {ht}, {rt}, {wt}) -> ({xt}, {wt}, {wt})", [dx], 2 * tolerance)
    cases.add(f"norm weight gradients {cols} {e}", "column_reduction", [("g", xt, g), ("h", ht, xhat.astype(np.float32))],
              [("%dw", wt)], f"%one = arith.constant dense<1.0> : {rt}\n"
              f"%dx, %dw, %db = memopt.norm_output_grad layer %g, %h, %one : ({xt}, {ht}, {rt}) -> ({xt}, {wt}, {wt})",
              [(g.astype(WIDE) * xhat).sum(0)], tolerance)


def phi(x):
    return np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))(np.asarray(x, np.float64)).astype(WIDE)


def activations(x):
    """name -> (h(x), h'(x))"""
    x = x.astype(WIDE)
    u = np.sqrt(2 / WIDE(np.pi)) * (x + WIDE(0.044715) * x**3)
    du = np.sqrt(2 / WIDE(np.pi)) * (1 + 3 * WIDE(0.044715) * x**2)
    s = 1 / (1 + np.exp(-x))
    return {"gelu_erf": (x * phi(x), phi(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * WIDE(np.pi))),
            "gelu_tanh": (x / 2 * (1 + np.tanh(u)), (1 + np.tanh(u)) / 2 + x / 2 * (1 - np.tanh(u)**2) * du),
            "silu": (x * s, s + x * s * (1 - s))}


def add_activations(cases, shape, e="f32"):
    x, g, xt = normal(*shape) * 3, normal(*shape), t(*shape, e=e)
    if e == "bf16":
        x, g = (run_step.from_bf16(run_step.to_bf16(a)) for a in (x, g))
    tolerance = 1e-6 if e == "f32" else BF16
    for name, (h, dh) in activations(x).items():
        cases.add(f"{name} {shape} {e}", "elementwise", [("x", xt, x)], [("%y", xt)],
                  f"%y = memopt.activation {name} %x : {xt} -> {xt}", [h], tolerance)
        cases.add(f"{name} gradient {shape} {e}", "elementwise", [("g", xt, g), ("x", xt, x)], [("%y", xt)],
                  f"%y = memopt.activation_grad {name} %g, %x : {xt}, {xt} -> {xt}", [g * dh], tolerance)


def add_codes(cases, shape, bits):
    x, g = normal(*shape), normal(*shape)
    steps = np.linspace(-2, 2, 2**bits - 1).astype(np.float32)
    slopes = np.linspace(-1, 1, 2**bits)
    codes = (x[..., None] > steps).sum(-1)
    flat = (codes.reshape(-1, 1) >> np.arange(bits) & 1).reshape(-1)
    packed = np.packbits(flat.astype(np.uint8), bitorder="little").view(np.int8)
    if shape[-1] * bits % 8 == 0:
        packed = packed.reshape(*shape[:-1], shape[-1] * bits // 8)
    xt, ct = t(*shape), t(*packed.shape, e="i8")
    # Whole bytes are a reduction over the elements of a group; the flat form is gathered.
    grouped = shape[-1] % (8 // math.gcd(8, bits)) == 0
    cases.add(f"encode {bits} bits {shape}", "row_reduction" if grouped else "elementwise", [("x", xt, x)], [("%c", ct)],
              f"%c = memopt.encode %x thresholds {[float(s) for s in steps]} : {xt} -> {ct}", [packed])
    cases.add(f"decode {bits} bits {shape}", "elementwise", [("g", xt, g), ("c", ct, packed)], [("%y", xt)],
              f"%y = memopt.step_grad %g, %c slopes {[float(s) for s in slopes]} : {xt}, {ct} -> {xt}",
              [g * slopes[codes].astype(np.float32)], 3e-7)


def add_sums(cases, shape, dims, e="f32"):
    x, xt = normal(*shape), t(*shape, e=e)
    trailing = dims == list(range(len(shape) - len(dims), len(shape)))
    to = [d for i, d in enumerate(shape) if i not in dims]
    if e == "bf16":
        x = run_step.from_bf16(run_step.to_bf16(x))
        body = f"%w = arith.extf %x : {xt} to {t(*shape)}\n" + \
            reduce("s", "arith.addf", "w", t(*shape), "0.0", dims, shape) + f"%r = arith.truncf %s : {t(*to)} to {t(*to, e=e)}"
        return cases.add(f"sum {shape} over {dims} {e}", "column_reduction", [("x", xt, x)], [("%r", t(*to, e=e))], body,
                         [x.astype(WIDE).sum(tuple(dims))], BF16)
    cases.add(f"sum {shape} over {dims}", "row_reduction" if trailing else "column_reduction", [("x", xt, x)],
              [("%r", t(*to))], reduce("r", "arith.addf", "x", xt, "0.0", dims, shape),
              [x.astype(WIDE).sum(tuple(dims))], 1e-6, math.sqrt(x.size))


def add_masked_sum(cases, shape, dims):
    """A sum over several loops, since a mask has fewer."""
    x, z, xt = normal(*shape), RNG.integers(0, 2, shape[:2]).astype(np.float32), t(*shape)
    to = t(*[d for i, d in enumerate(shape) if i not in dims])
    cases.add(f"masked sum {shape} over {dims}", "row_reduction" if len(dims) == 3 else "column_reduction",
              [("x", xt, x), ("z", t(*shape[:2]), z)], [("%r", to)], broadcast("zb", "z", t(*shape[:2]), xt, [2])
              + f"%s = arith.mulf %x, %zb : {xt}\n" + reduce("r", "arith.addf", "s", xt, "0.0", dims, shape),
              [(x.astype(WIDE) * z[..., None]).sum(tuple(dims))], 1e-6, math.sqrt(x.size))


def add_reads(cases):
    """Transposed, broadcast and sliced inputs."""
    for a, b in ((5, 7), (33, 70), (64, 48), (50, 300)):
        x, y = normal(a, b), normal(b, a)
        cases.add(f"transposed {a}x{b}", "elementwise", [("x", t(a, b), x), ("y", t(b, a), y)], [("%r", t(a, b))],
                  f"%e = tensor.empty() : {t(a, b)}\n"
                  f"%yt = linalg.transpose ins(%y : {t(b, a)}) outs(%e : {t(a, b)}) permutation = [1, 0]\n"
                  f"%r = arith.addf %x, %yt : {t(a, b)}", [x + y.T])
    x, y, z = normal(3, 5, 40), normal(5, 40), normal(3, 5)
    cases.add("broadcast", "elementwise", [("x", t(3, 5, 40), x), ("y", t(5, 40), y), ("z", t(3, 5), z)],
              [("%r", t(3, 5, 40))], broadcast("yb", "y", t(5, 40), t(3, 5, 40), [0])
              + broadcast("zb", "z", t(3, 5), t(3, 5, 40), [2])
              + f"%s = arith.addf %x, %yb : {t(3, 5, 40)}\n%r = arith.mulf %s, %zb : {t(3, 5, 40)}", [(x + y) * z[..., None]])
    # Rotary positions: heads are transposed, halves are slices, cosines are shared by heads.
    b, n, h, d = 2, 6, 3, 20
    x, c, s = normal(b, n, h * d), normal(n, d // 2), normal(n, d // 2)
    half, heads = t(b, h, n, d // 2), t(b, h, n, d)
    body = f"""%split = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [{b}, {n}, {h}, {d}] : {t(b, n, h * d)} into {t(b, n, h, d)}
%e = tensor.empty() : {heads}
%q = linalg.transpose ins(%split : {t(b, n, h, d)}) outs(%e : {heads}) permutation = [0, 2, 1, 3]
%q1 = tensor.extract_slice %q[0, 0, 0, 0] [{b}, {h}, {n}, {d // 2}] [1, 1, 1, 1] : {heads} to {half}
%q2 = tensor.extract_slice %q[0, 0, 0, {d // 2}] [{b}, {h}, {n}, {d // 2}] [1, 1, 1, 1] : {heads} to {half}
""" + broadcast("cb", "c", t(n, d // 2), half, [0, 1]) + broadcast("sb", "s", t(n, d // 2), half, [0, 1]) + f"""
%a = arith.mulf %q1, %cb : {half}
%f = arith.mulf %q2, %sb : {half}
%r = arith.subf %a, %f : {half}"""
    q = x.reshape(b, n, h, d).transpose(0, 2, 1, 3)
    cases.add("rotary half", "elementwise", [("x", t(b, n, h * d), x), ("c", t(n, d // 2), c), ("s", t(n, d // 2), s)],
              [("%r", half)], body, [q[..., :d // 2] * c - q[..., d // 2:] * s])
    # Two shapes without common loops: one is computed with quotients.
    x, y = normal(6, 4), normal(4, 6)
    cases.add("shapes without common loops", "elementwise", [("x", t(6, 4), x), ("y", t(24), y.reshape(-1))],
              [("%r", t(6, 4))], f"""%y2 = tensor.expand_shape %y [[0, 1]] output_shape [4, 6] : {t(24)} into {t(4, 6)}
%e = tensor.empty() : {t(6, 4)}
%yt = linalg.transpose ins(%y2 : {t(4, 6)}) outs(%e : {t(6, 4)}) permutation = [1, 0]
%yf = tensor.collapse_shape %yt [[0, 1]] : {t(6, 4)} into {t(24)}
%z = tensor.expand_shape %yf [[0, 1]] output_shape [4, 6] : {t(24)} into {t(4, 6)}
%e2 = tensor.empty() : {t(6, 4)}
%zt = linalg.transpose ins(%z : {t(4, 6)}) outs(%e2 : {t(6, 4)}) permutation = [1, 0]
%r = arith.addf %x, %zt : {t(6, 4)}""", [x + y.T.reshape(4, 6).T])


def add_types(cases):
    """Integers, booleans, NaN and infinities, an arg-max, f64 and f16."""
    n = 75
    x, mask = normal(4, n), RNG.integers(0, 2, (4, n)).astype(np.uint8)
    cases.add("select by a mask", "elementwise", [("x", t(4, n), x), ("m", t(4, n, e="i1"), mask)],
              [("%r", t(4, n)), ("%b", t(4, n, e="i1"))],
              f"%z = arith.constant dense<-1.0> : {t(4, n)}\n%r = arith.select %m, %x, %z : {t(4, n, e='i1')}, {t(4, n)}\n"
              f"%b = arith.cmpf ogt, %x, %z : {t(4, n)}", [np.where(mask, x, -1), x > -1])
    i = RNG.integers(-2**62, 2**62, (3, n))
    cases.add("integers wrap", "row_reduction", [("x", t(3, n, e="i64"), i)], [("%r", t(3, e="i64"))],
              reduce("r", "arith.addi", "x", t(3, n, e="i64"), "5", [1], (3, n), "i64"), [i.sum(1) + 5])
    special = normal(5, n)
    special[0, 3], special[1, 70], special[2, 5], special[3, :] = np.nan, np.inf, -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        cases.add("maximum of NaN", "row_reduction", [("x", t(5, n), special)], [("%r", t(5))],
                  reduce("r", "arith.maximumf", "x", t(5, n), LOWEST, [1], (5, n)), [special.max(1)])
        cases.add("maximum without NaN", "row_reduction", [("x", t(5, n), special)], [("%r", t(5))],
                  reduce("r", "arith.maxnumf", "x", t(5, n), LOWEST, [1], (5, n)), [np.nanmax(special, 1)])
        cases.add("sum of infinities", "row_reduction", [("x", t(5, n), special)], [("%r", t(5))],
                  reduce("r", "arith.addf", "x", t(5, n), "0.0", [1], (5, n)), [special.astype(WIDE).sum(1)], 1e-6, 5)
    for n in (9, 75, 20000):
        x = normal(4, n)
        x[1, n // 2:] = x[1].max()  # the first of several
        x[2, n // 3] = np.nan
        cases.add(f"arg-max {n}", "row_reduction", [("x", t(4, n), x)], [("%r#0", t(4)), ("%r#1", t(4, e="i64"))],
                  fill("v", t(4), LOWEST) + fill("k", t(4, e="i64"), "0") + f"""
%r:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}} ins(%x : {t(4, n)}) outs(%v, %k : {t(4)}, {t(4, e='i64')}) {{
^bb0(%in: f32, %best: f32, %at: i64):
  %j = linalg.index 1 : index
  %here = arith.index_cast %j : index to i64
  %more = arith.cmpf ogt, %in, %best : f32
  %value = arith.maximumf %in, %best : f32
  %place = arith.select %more, %here, %at : i64
  linalg.yield %value, %place : f32, i64
}} -> ({t(4)}, {t(4, e='i64')})""",
                  [x.max(1), [x[i].argmax() if i != 2 else x[i, :n // 3].argmax() for i in range(4)]])
    x = normal(3, 30)
    cases.add("a reduction in order", "row_reduction", [("x", t(3, 30), x)], [("%r", t(3))],
              fill("v", t(3), "0.0") + f"""
%r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}} ins(%x : {t(3, 30)}) outs(%v : {t(3)}) {{
^bb0(%in: f32, %sum: f32):
  %h = arith.subf %in, %sum : f32
  linalg.yield %h : f32
}} -> {t(3)}""", [((-1.0)**np.arange(30)[::-1] * x).sum(1)], 1e-6, 5)
    x = RNG.standard_normal((3, 21))
    cases.add("f64", "elementwise", [("x", t(3, 21, e="f64"), x)], [("%r", t(3, 21, e="f64"))],
              f"%r = math.exp %x : {t(3, 21, e='f64')}", [np.exp(x.astype(WIDE))], 1e-15)
    x = normal(3, 21).astype(np.float16)
    cases.add("f16", "elementwise", [("x", t(3, 21, e="f16"), x)], [("%r", t(3, 21, e="f16"))],
              f"%r = arith.mulf %x, %x : {t(3, 21, e='f16')}", [x * x], 0)
    x = RNG.integers(0, 1000, (4, 6))
    cases.add("an iota", "elementwise", [("x", t(4, 6, e="i64"), x)], [("%r", t(4, 6, e="i64"))], f"""
%e = tensor.empty() : {t(4, 6, e='i64')}
%r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}} ins(%x : {t(4, 6, e='i64')}) outs(%e : {t(4, 6, e='i64')}) {{
^bb0(%in: i64, %o: i64):
  %i = linalg.index 0 : index
  %j = linalg.index 1 : index
  %ten = arith.constant 10 : index
  %ij = arith.muli %i, %ten : index
  %k = arith.addi %ij, %j : index
  %kk = arith.index_cast %k : index to i64
  %s = arith.addi %in, %kk : i64
  linalg.yield %s : i64
}} -> {t(4, 6, e='i64')}""", [x + np.arange(4)[:, None] * 10 + np.arange(6)])
    rows = RNG.integers(0, 9, 5)
    table = normal(9, 33)
    cases.add("a gather", "elementwise", [("k", t(5, e="i64"), rows), ("w", t(9, 33), table)], [("%r", t(5, 33))], f"""
%e = tensor.empty() : {t(5, 33)}
%r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}} ins(%k : {t(5, e='i64')}) outs(%e : {t(5, 33)}) {{
^bb0(%in: i64, %o: f32):
  %row = arith.index_cast %in : i64 to index
  %j = linalg.index 1 : index
  %v = tensor.extract %w[%row, %j] : {t(9, 33)}
  linalg.yield %v : f32
}} -> {t(5, 33)}""", [table[rows]])
    shape = (2, 0, 4)
    cases.add("no elements", "elementwise", [("x", t(*shape), np.zeros(shape))], [("%r", t(*shape))],
              f"%r = arith.addf %x, %x : {t(*shape)}", [np.zeros(shape)])
    cases.add("one element", "elementwise", [("x", t(), np.float32(3))], [("%r", t())],
              f"%r = arith.addf %x, %x : {t()}", [np.float32(6)])


def add_functions(cases):
    """Functions of f32 within 5 units in the last place of what they return, mostly 1."""
    inside = np.concatenate([normal(3000), normal(3000) * 10, np.linspace(-20, 20, 3001)]).astype(np.float32)
    far = np.exp(RNG.uniform(-20, 20, 5000)).astype(np.float32)
    wide = {"exp": (np.exp, inside), "tanh": (np.tanh, inside), "sin": (np.sin, np.concatenate([inside, far])),
            "cos": (np.cos, np.concatenate([inside, far])), "log": (np.log, far), "log1p": (np.log1p, far),
            "expm1": (np.expm1, inside), "rsqrt": (lambda v: 1 / np.sqrt(v), far), "sqrt": (np.sqrt, far),
            "erf": (np.vectorize(math.erf), inside), "erfc": (np.vectorize(math.erfc), inside[inside < 9])}
    for name, (function, x) in wide.items():
        want = function(x.astype(np.float64))
        xt = t(len(x), 1)
        cases.add(f"math.{name}", "elementwise", [("x", xt, x[:, None])], [("%r", xt)], f"%r = math.{name} %x : {xt}",
                  [want[:, None]], 5 * 2.0**-23)
    x = np.array([np.nan, np.inf, -np.inf, 0, -0.0], np.float32)
    with np.errstate(all="ignore"):
        for name in ("exp", "tanh", "log", "sqrt", "sin", "erf"):
            want = np.array([math.erf(v) for v in x]) if name == "erf" else getattr(np, name)(x)
            cases.add(f"math.{name} of what is not finite", "elementwise", [("x", t(5), x)], [("%r", t(5))],
                      f"%r = math.{name} %x : {t(5)}", [want])


def add_all(cases):
    """Every shape and kind of kernel that the walks tell apart."""
    for rows, cols in ((3, 1), (20, 7), (5, 17), (3, 64), (2, 1023), (2, 50257)):
        add_softmax(cases, rows, cols)
        add_loss(cases, rows, cols)
        if cols > 1:
            add_norms(cases, rows, cols)
    add_norms(cases, 5, 96, "bf16")
    for shape in ((3, 5, 7), (2, 1024), (50257,), (1,)):
        add_activations(cases, shape)
    add_activations(cases, (3, 100), "bf16")
    for bits in (1, 2, 3, 4):
        for shape in ((3, 64), (2, 5, 8), (3, 7), (1,)):
            add_codes(cases, shape, bits)
    for shape, dims in (((70, 50), [0]), ((3, 7), [0]), ((5000, 20), [0]), ((1200, 130), [0]), ((4, 6, 40), [0, 1]),
                        ((4, 6, 40), [1]), ((4, 6, 40), [0, 2]), ((2, 3, 8, 9), [0, 2, 3]), ((4, 6, 40), [0, 1, 2]),
                        ((100000,), [0]), ((3, 40000), [1]), ((2, 600, 3), [1])):
        add_sums(cases, shape, dims)
    add_sums(cases, (70, 50), [0], "bf16")
    add_masked_sum(cases, (3, 50, 700), [0, 1, 2])
    add_masked_sum(cases, (3, 70, 50), [0, 1])
    add_reads(cases)
    add_types(cases)
    add_functions(cases)
    add_doubles(cases)
    add_powers(cases)


def main():
    suite = Suite()
    cases = Cases(suite)
    add_all(cases)
    cases.run()
    suite.close()


if __name__ == "__main__":
    main()
