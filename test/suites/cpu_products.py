#!/usr/bin/env python3
"""Contraction, movement and opaque kernels of memopt-to-cpu on the runtime library, run against numpy."""
import numpy as np

from _kernels import Kernels
from _suite import ALL, BUILD, Suite

RNG = np.random.default_rng(11)
RUNTIME = BUILD / "lib" / "libmemopt_cpu_runtime.so"
ROUNDING = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


def t(shape, e="f32"):
    return f"tensor<{''.join(f'{d}x' for d in shape)}{e}>"


def numbers(*shape):
    """Multiples of 1/16 that every type holds."""
    return RNG.integers(-40, 41, shape).astype(np.float64) / 16


class Cases:
    def __init__(self, suite):
        self.suite, self.kernels, self.cases = suite, Kernels(), []

    def add(self, name, kind, args, result, body, want, tolerance=1e-6):
        """`args`: (name, type, array); `body` defines `%y` of type `result`. Errors are norms over norms."""
        signature = ", ".join(f"%{n}: {ty}" for n, ty, _ in args)
        self.kernels.add(kind, f"({signature}) -> {result}", f"{body}\nreturn %y : {result}")
        self.cases.append((name, [a for *_, a in args], np.asarray(want), tolerance))

    def run(self):
        outs = self.kernels.compile(runtime=RUNTIME).run([inputs for _, inputs, *_ in self.cases])
        for (name, _, want, tolerance), (got,) in zip(self.cases, outs):
            got = got.astype(np.float64)
            error = np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)
            self.suite.check(name, got.shape == want.shape and error <= tolerance, f"relative error {error:.2e}")


def zeros(name, type_, value="0.0"):
    e = type_[:-1].split("x")[-1].removeprefix("tensor<")
    return (f"%{name}_c = arith.constant {value} : {e}\n%{name}_e = tensor.empty() : {type_}\n"
            f"%{name} = linalg.fill ins(%{name}_c : {e}) outs(%{name}_e : {type_}) -> {type_}\n")


def pointwise(name, op, shape, inputs, e="f32"):
    """%name = op of tensors of one shape: `inputs` are (value, type, map results)."""
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    maps = [f"affine_map<({loops}) -> ({m})>" for *_, m in inputs] + [f"affine_map<({loops}) -> ({loops})>"]
    it = ", ".join(['"parallel"'] * len(shape))
    elements = [ty[:-1].split("x")[-1] for _, ty, _ in inputs]
    ins = ", ".join(f"%i{k}: {el}" for k, el in enumerate(elements))
    return (f"%{name}_e = tensor.empty() : {t(shape, e)}\n%{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{it}]}} ins({', '.join('%' + v for v, *_ in inputs)} : {', '.join(ty for _, ty, _ in inputs)}) "
            f"outs(%{name}_e : {t(shape, e)}) {{\n^bb0({ins}, %o: {e}):\n{op}\nlinalg.yield %r : {e}\n}} -> {t(shape, e)}\n")


#===- products ---------------------------------------------------------------===#

def einsum_body(spec, sizes, types, init="0.0", names=("a", "b")):
    """%p = a generic contraction written as `ij,jk->ik`."""
    ins, out = spec.split("->")
    a, b = ins.split(",")
    loops = list(dict.fromkeys(out + a + b))
    var = {c: f"d{i}" for i, c in enumerate(loops)}
    maps = [f"affine_map<({', '.join(var.values())}) -> ({', '.join(var[c] for c in term)})>" for term in (a, b, out)]
    kinds = ", ".join('"parallel"' if c in out else '"reduction"' for c in loops)
    ta, tb, to = (t([sizes[c] for c in term], e) for term, e in zip((a, b, out), types))
    body = zeros("z", to, init)
    body += (f"%p = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
             f"ins(%{names[0]}, %{names[1]} : {ta}, {tb}) outs(%z : {to}) {{\n^bb0(%x: {types[0]}, %w: {types[1]}, %o: {types[2]}):\n")
    values = []
    for name, e in (("x", types[0]), ("w", types[1])):
        if e != types[2]:
            body += f"%{name}e = arith.extf %{name} : {e} to {types[2]}\n"
        values.append(f"%{name}e" if e != types[2] else f"%{name}")
    return body + (f"%m = arith.mulf {values[0]}, {values[1]} : {types[2]}\n%s = arith.addf %o, %m : {types[2]}\n"
                   f"linalg.yield %s : {types[2]}\n}} -> {to}\n"), (ta, tb, to)


def add_einsum(cases, spec, sizes, types=("f32", "f32", "f32"), init=0.0):
    ins, out = spec.split("->")
    a, b = (numbers(*(sizes[c] for c in term)) for term in ins.split(","))
    body, (ta, tb, to) = einsum_body(spec, sizes, types, repr(init))
    want = np.einsum(spec, a, b) + init
    cases.add(f"{spec} {sizes} {types}", "contraction", [("a", ta, a), ("b", tb, b)], to,
              body.replace("%p = ", "%y = "), want, 4 * ROUNDING[types[2]])


def add_random_einsums(cases, count):
    for _ in range(count):
        letters = list("abcdefg")[:RNG.integers(2, 8)]
        where = {c: RNG.integers(0, 4) for c in letters}  # in a and out, in b and out, in both, in all
        terms = [[c for c in letters if where[c] in keep] for keep in ((0, 2, 3), (1, 2, 3), (0, 1, 3))]
        if not terms[2] or not terms[0] or not terms[1]:
            continue
        for term in terms:
            RNG.shuffle(term)
        sizes = {c: int(RNG.choice([1, 2, 3, 5, 8, 17])) for c in letters}
        e = str(RNG.choice(["f32", "f32", "f64", "bf16", "f16"]))
        add_einsum(cases, "{},{}->{}".format(*map("".join, terms)), sizes, (e, e, e if e == "f64" else "f32"))


def add_products(cases):
    s = dict(i=33, j=20, k=47, b=3, h=4)
    for spec in ("ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ij", "ik,kj->ji", "bik,bkj->bij", "bki,bjk->bij",
                 "ibk,kj->ibj", "bihk,bjhk->bhij", "bhij,bjhk->bihk", "ik,k->i", "k,kj->j", "bik,jk->bij",
                 "bik,bij->kj", "ihk,hkj->ij", "ij,ij->i"):
        add_einsum(cases, spec, s)
    for types in (("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("f64", "f64", "f64"), ("f32", "f32", "f64")):
        add_einsum(cases, "bik,bkj->bij", s, types)
        add_einsum(cases, "ki,jk->ij", s, types)
    add_einsum(cases, "ik,kj->ij", s, init=1.5)
    add_einsum(cases, "ik,kj->ij", dict(i=3, j=4, k=1))
    add_random_einsums(cases, 300 if ALL else 60)


def add_glue(cases):
    """Operands through transposes, reshapes, slices and broadcasts; heads split and merged."""
    x, w = numbers(2, 16, 64), numbers(48, 64)
    body = ("%c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x64xf32> into tensor<32x64xf32>\n"
            "%te = tensor.empty() : tensor<64x48xf32>\n"
            "%wt = linalg.transpose ins(%w : tensor<48x64xf32>) outs(%te : tensor<64x48xf32>) permutation = [1, 0]\n"
            + zeros("z", t((32, 48))) +
            "%p = linalg.matmul ins(%c, %wt : tensor<32x64xf32>, tensor<64x48xf32>) outs(%z : tensor<32x48xf32>) -> tensor<32x48xf32>\n")
    args = [("x", t((2, 16, 64)), x), ("w", t((48, 64)), w)]
    product = x @ w.T
    cases.add("linear", "contraction", args, t((32, 48)), body.replace("%p = ", "%y = "), product.reshape(32, 48))
    expand = "%q = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 16, 48] : tensor<32x48xf32> into tensor<2x16x48xf32>\n"
    bias = numbers(48)
    with_bias = args + [("v", t((48,)), bias)]
    add = pointwise("y", "%r = arith.addf %i0, %i1 : f32", (2, 16, 48),
                    [("q", t((2, 16, 48)), "d0, d1, d2"), ("v", t((48,)), "d2")])
    cases.add("linear with bias", "contraction", with_bias, t((2, 16, 48)), body + expand + add, product + bias)
    skip = numbers(2, 16, 48)
    cases.add("bias first, then another shape", "contraction", with_bias + [("u", t((2, 16, 48)), skip)], t((2, 16, 48)),
              body + pointwise("s", "%r = arith.addf %i0, %i1 : f32", (32, 48), [("p", t((32, 48)), "d0, d1"), ("v", t((48,)), "d1")])
              + expand.replace("%p ", "%s ") + pointwise("y", "%r = arith.addf %i0, %i1 : f32", (2, 16, 48),
                                                         [("q", t((2, 16, 48)), "d0, d1, d2"), ("u", t((2, 16, 48)), "d0, d1, d2")]),
              product + bias + skip)
    residual = numbers(2, 16, 48)
    scale = pointwise("y", "%k = arith.constant 0.25 : f32\n%s = arith.mulf %i0, %k : f32\n%r = arith.addf %s, %i1 : f32", (2, 16, 48),
                      [("q", t((2, 16, 48)), "d0, d1, d2"), ("v", t((2, 16, 48)), "d0, d1, d2")])
    cases.add("scaled product plus residual", "contraction", args + [("v", t((2, 16, 48)), residual)], t((2, 16, 48)),
              body + expand + scale, product / 4 + residual)
    q, k = numbers(2, 16, 4, 8), numbers(2, 16, 2, 8)
    body = ("%qe = tensor.empty() : tensor<2x4x16x8xf32>\n"
            "%qt = linalg.transpose ins(%q : tensor<2x16x4x8xf32>) outs(%qe : tensor<2x4x16x8xf32>) permutation = [0, 2, 1, 3]\n"
            "%qc = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x4x16x8xf32> into tensor<8x16x8xf32>\n"
            "%ke = tensor.empty() : tensor<2x2x2x8x16xf32>\n"
            "%kt = linalg.generic {indexing_maps = [affine_map<(b, g, r, d, t) -> (b, t, g, d)>, affine_map<(b, g, r, d, t) -> (b, g, r, d, t)>], "
            'iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<2x16x2x8xf32>) outs(%ke : tensor<2x2x2x8x16xf32>) {\n'
            "^bb0(%in: f32, %o: f32):\nlinalg.yield %in : f32\n} -> tensor<2x2x2x8x16xf32>\n"
            "%kc = tensor.collapse_shape %kt [[0, 1, 2], [3], [4]] : tensor<2x2x2x8x16xf32> into tensor<8x8x16xf32>\n"
            + zeros("z", t((8, 16, 16))) +
            "%y = linalg.batch_matmul ins(%qc, %kc : tensor<8x16x8xf32>, tensor<8x8x16xf32>) outs(%z : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>\n")
    want = np.einsum("bthd,bshd->bhts", q, np.repeat(k, 2, axis=2)).reshape(8, 16, 16)
    cases.add("grouped heads", "contraction", [("q", t((2, 16, 4, 8)), q), ("k", t((2, 16, 2, 8)), k)], t((8, 16, 16)), body, want)
    a, b = numbers(20, 96), numbers(32, 10)
    body = ("%s = tensor.extract_slice %a[2, 32] [16, 32] [1, 2] : tensor<20x96xf32> to tensor<16x32xf32>\n" + zeros("z", t((16, 10))) +
            "%y = linalg.matmul ins(%s, %b : tensor<16x32xf32>, tensor<32x10xf32>) outs(%z : tensor<16x10xf32>) -> tensor<16x10xf32>\n")
    cases.add("a slice", "contraction", [("a", t((20, 96)), a), ("b", t((32, 10)), b)], t((16, 10)), body, a[2:18, 32:96:2] @ b)
    c = numbers(16, 10)
    body = ("%one = arith.constant dense<1.0> : tensor<16x32xf32>\n"
            "%y = linalg.matmul ins(%one, %b : tensor<16x32xf32>, tensor<32x10xf32>) outs(%c : tensor<16x10xf32>) -> tensor<16x10xf32>\n")
    cases.add("a constant, added to a tensor", "contraction", [("b", t((32, 10)), b), ("c", t((16, 10)), c)], t((16, 10)), body,
              np.ones((16, 32)) @ b + c)


def add_rounded(cases):
    """bf16 and f16 operands, sums in f32, rounded once; alone and behind an epilogue."""
    for e in ("bf16", "f16"):
        a, b, v = numbers(33, 70), numbers(70, 20), numbers(20)
        product = (zeros("z", t((33, 20))) + f"%p = linalg.matmul ins(%a, %b : {t((33, 70), e)}, {t((70, 20), e)}) "
                   "outs(%z : tensor<33x20xf32>) -> tensor<33x20xf32>\n")
        args = [("a", t((33, 70), e), a), ("b", t((70, 20), e), b)]
        cast = pointwise("y", f"%r = arith.truncf %i0 : f32 to {e}", (33, 20), [("p", t((33, 20)), "d0, d1")], e)
        cases.add(f"{e} rounded", "contraction", args, t((33, 20), e), product + cast, a @ b, ROUNDING[e])
        cast = pointwise("y", f"%t = arith.truncf %i0 : f32 to {e}\n%r = arith.addf %t, %i1 : {e}", (33, 20),
                         [("p", t((33, 20)), "d0, d1"), ("v", t((20,), e), "d1")], e)
        cases.add(f"{e} with bias", "contraction", args + [("v", t((20,), e), v)], t((33, 20), e), product + cast, a @ b + v, 2 * ROUNDING[e])


def conv(x, w, stride, dilation):
    (n, c, h, wd), (f, _, kh, kw) = x.shape, w.shape
    oh, ow = ((s - dilation * (k - 1) - 1) // stride + 1 for s, k in ((h, kh), (wd, kw)))
    out = np.zeros((n, f, oh, ow))
    for i in range(kh):
        for j in range(kw):
            part = x[:, :, i * dilation:i * dilation + stride * (oh - 1) + 1:stride, j * dilation:j * dilation + stride * (ow - 1) + 1:stride]
            out += np.einsum("nchw,fc->nfhw", part, w[:, :, i, j])
    return out


def add_convolutions(cases):
    for stride, dilation, kernel in ((4, 1, 4), (1, 1, 3), (2, 2, 3), (1, 4, 4), (3, 1, 2)):
        x, w, v = numbers(2, 3, 16, 16), numbers(5, 3, kernel, kernel), numbers(5)
        y = conv(x, w, stride, dilation)
        to = t(y.shape)
        body = (f"%e = tensor.empty() : {to}\n%i = linalg.broadcast ins(%v : tensor<5xf32>) outs(%e : {to}) dimensions = [0, 2, 3]\n"
                f"%y = linalg.conv_2d_nchw_fchw {{dilations = dense<{dilation}> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}} "
                f"ins(%x, %w : {t(x.shape)}, {t(w.shape)}) outs(%i : {to}) -> {to}\n")
        cases.add(f"convolution, stride {stride}, dilation {dilation}, bias first", "contraction",
                  [("x", t(x.shape), x), ("w", t(w.shape), w), ("v", t((5,)), v)], to, body, y + v[:, None, None])
    # The weight gradient of a patch embedding: batch and channels change places.
    x, g = numbers(2, 3, 16, 16), numbers(2, 8, 4, 4)
    want = conv(x.transpose(1, 0, 2, 3), g.transpose(1, 0, 2, 3), 1, 4)[:, :, :4, :4].transpose(0, 1, 2, 3)
    to = "tensor<3x2x8x4x4xf32>"
    body = ("%xe = tensor.empty() : tensor<3x2x16x16xf32>\n"
            "%xt = linalg.transpose ins(%x : tensor<2x3x16x16xf32>) outs(%xe : tensor<3x2x16x16xf32>) permutation = [1, 0, 2, 3]\n"
            "%x5 = tensor.expand_shape %xt [[0], [1, 2], [3], [4]] output_shape [3, 2, 1, 16, 16] : tensor<3x2x16x16xf32> into tensor<3x2x1x16x16xf32>\n"
            "%g5 = tensor.expand_shape %g [[0], [1, 2], [3], [4]] output_shape [2, 8, 1, 4, 4] : tensor<2x8x4x4xf32> into tensor<2x8x1x4x4xf32>\n"
            + zeros("z", to) +
            "%y = linalg.conv_2d_ngchw_gfchw {dilations = dense<4> : vector<2xi64>, strides = dense<1> : vector<2xi64>} "
            f"ins(%x5, %g5 : tensor<3x2x1x16x16xf32>, tensor<2x8x1x4x4xf32>) outs(%z : {to}) -> {to}\n")
    want = np.stack([conv(x[n].reshape(3, 1, 16, 16), g[n].reshape(8, 1, 4, 4), 1, 4)[:, :, :4, :4] for n in range(2)], axis=1)
    cases.add("convolution, weight gradient", "contraction", [("x", t(x.shape), x), ("g", t(g.shape), g)], to, body, want)


#===- movement ---------------------------------------------------------------===#

def add_movement(cases):
    table, ids = numbers(40, 24), RNG.integers(-5, 50, (2, 9))
    body = """%e = tensor.empty() : tensor<2x9x24xf32>
%c0 = arith.constant 0 : index
%c39 = arith.constant 39 : index
%y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<2x9xi64>) outs(%e : tensor<2x9x24xf32>) {
^bb0(%id: i64, %o: f32):
  %n = arith.index_cast %id : i64 to index
  %low = arith.maxsi %n, %c0 : index
  %at = arith.minsi %low, %c39 : index
  %k = linalg.index 2 : index
  %v = tensor.extract %table[%at, %k] : tensor<40x24xf32>
  linalg.yield %v : f32
} -> tensor<2x9x24xf32>
"""
    cases.add("gather, clamped", "movement", [("table", t((40, 24)), table), ("ids", t((2, 9), "i64"), ids)], t((2, 9, 24)), body,
              table[np.clip(ids, 0, 39)])
    a, b = numbers(3, 5, 8), numbers(3, 2, 8)
    cases.add("concat", "movement", [("a", t(a.shape), a), ("b", t(b.shape), b)], t((3, 9, 8)),
              f"%y = tensor.concat dim(1) %a, %b, %b : ({t(a.shape)}, {t(b.shape)}, {t(b.shape)}) -> {t((3, 9, 8))}\n",
              np.concatenate([a, b, b], axis=1))
    want = np.full((3, 8, 20), 2.5)
    want[:, 2:7, 3:19:2] = a
    cases.add("insert_slice", "movement", [("a", t(a.shape), a)], t(want.shape),
              f"%c = arith.constant dense<2.5> : {t(want.shape)}\n"
              f"%y = tensor.insert_slice %a into %c[0, 2, 3] [3, 5, 8] [1, 1, 2] : {t(a.shape)} into {t(want.shape)}\n", want)
    cases.add("pad", "movement", [("a", t(a.shape), a)], t((4, 8, 9)),
              f"%c = arith.constant -1.0 : f32\n%y = tensor.pad %a low[0, 2, 1] high[1, 1, 0] {{\n^bb0(%i: index, %j: index, %k: index):\n"
              f"tensor.yield %c : f32\n}} : {t(a.shape)} to {t((4, 8, 9))}\n",
              np.pad(a, ((0, 1), (2, 1), (1, 0)), constant_values=-1))
    cases.add("a pad that cuts", "movement", [("a", t(a.shape), a)], t((2, 6, 9)),
              f"%c = arith.constant -1.0 : f32\n%y = tensor.pad %a low[-1, 2, -2] high[0, -1, 3] {{\n^bb0(%i: index, %j: index, %k: index):\n"
              f"tensor.yield %c : f32\n}} : {t(a.shape)} to {t((2, 6, 9))}\n",
              np.pad(a[1:, :4, 2:], ((0, 0), (2, 0), (0, 3)), constant_values=-1))
    for shape, perm, e in (((70, 130), (1, 0), "f32"), ((2, 33, 4, 40), (0, 2, 1, 3), "bf16"), ((5, 6, 7), (2, 1, 0), "f64"), ((2, 40, 50), (0, 2, 1), "f16")):
        x = numbers(*shape)
        y = x.transpose(perm)
        cases.add(f"transpose {shape} {perm} {e}", "movement", [("x", t(shape, e), x)], t(y.shape, e),
                  f"%e = tensor.empty() : {t(y.shape, e)}\n%y = linalg.transpose ins(%x : {t(shape, e)}) outs(%e : {t(y.shape, e)}) "
                  f"permutation = {list(perm)}\n", y)
    x = numbers(6, 7)
    cases.add("a slice with stride", "movement", [("x", t((6, 7)), x)], t((2, 3)),
              "%y = tensor.extract_slice %x[1, 1] [2, 3] [3, 2] : tensor<6x7xf32> to tensor<2x3xf32>\n", x[1:5:3, 1:7:2])
    cases.add("iota", "movement", [], t((5, 3), "i64"), """%e = tensor.empty() : tensor<5x3xi64>
%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<5x3xi64>) {
^bb0(%o: i64):
  %i = linalg.index 0 : index
  %j = linalg.index 1 : index
  %s = arith.muli %i, %j : index
  %v = arith.index_cast %s : index to i64
  linalg.yield %v : i64
} -> tensor<5x3xi64>
""", np.arange(5)[:, None] * np.arange(3))


#===- anything else ----------------------------------------------------------===#

def add_opaque(cases):
    x = numbers(6, 8)
    cases.add("a loop over rows", "opaque", [("x", t((6, 8)), x)], t((8,)), zeros("z", t((8,))) + """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c6 = arith.constant 6 : index
%half = arith.constant 0.5 : f32
%y = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %z) -> (tensor<8xf32>) {
  %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<8xf32>
  %next = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : tensor<8xf32>) outs(%acc : tensor<8xf32>) {
  ^bb0(%in: f32, %o: f32):
    %h = arith.mulf %o, %half : f32
    %s = arith.addf %h, %in : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  scf.yield %next : tensor<8xf32>
}
""", np.array([0.5 ** np.arange(5, -1, -1)]).dot(x)[0])
    ids = RNG.integers(0, 5, 6)
    want = np.zeros((5, 8))
    np.add.at(want, ids, x)
    cases.add("scatter-add in a loop", "opaque", [("x", t((6, 8)), x), ("ids", t((6,), "i64"), ids)], t((5, 8)), zeros("z", t((5, 8))) +
              """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c6 = arith.constant 6 : index
%y = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %z) -> (tensor<5x8xf32>) {
  %id = tensor.extract %ids[%i] : tensor<6xi64>
  %at = arith.index_cast %id : i64 to index
  %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
  %old = tensor.extract_slice %acc[%at, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
  %e = tensor.empty() : tensor<1x8xf32>
  %new = linalg.add ins(%row, %old : tensor<1x8xf32>, tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %next = tensor.insert_slice %new into %acc[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<5x8xf32>
  scf.yield %next : tensor<5x8xf32>
}
""", want)
    k, c = RNG.integers(-9, 9, (4, 6)), RNG.integers(-9, 9, (6, 5))
    cases.add("a product of integers", "contraction", [("k", t((4, 6), "i32"), k), ("c", t((6, 5), "i32"), c)], t((4, 5), "i32"),
              zeros("z", t((4, 5), "i32"), "0") + "%y = linalg.matmul ins(%k, %c : tensor<4x6xi32>, tensor<6x5xi32>) "
              "outs(%z : tensor<4x5xi32>) -> tensor<4x5xi32>\n", k @ c)


def main():
    suite = Suite()
    cases = Cases(suite)
    for add in (add_products, add_glue, add_rounded, add_convolutions, add_movement, add_opaque):
        add(cases)
    cases.run()
    suite.close()


if __name__ == "__main__":
    main()
