#!/usr/bin/env python3
"""activation and activation_grad against functions computed in extended precision:
every kind and element type, far tails, and no NaN for any finite x."""
import math

import numpy as np

from _numeric import EPS, Module, Suite, close, round_to, type_of

LARGEST = {"f64": 1.7e308, "f32": 3e38, "f16": 6e4, "bf16": 3e38}


def sigmoid(z):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))


def tanh_inner(x):
    with np.errstate(over="ignore"):
        return np.sqrt(np.longdouble(2) / np.pi) * (x + np.longdouble("0.044715") * x**3)


def product(a, b):
    """a b, 0 where either is: the limits of these functions."""
    with np.errstate(invalid="ignore"):
        return np.where((a == 0) | (b == 0), 0, a * b)


def cdf(x):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.astype(float)], np.longdouble)


def gelu_erf(x):
    with np.errstate(over="ignore"):
        density = np.exp(-x * x / 2) / np.sqrt(2 * np.longdouble(np.pi))
    return product(x, cdf(x)), cdf(x) + product(x, density)


def gelu_tanh(x):
    # h' = (1 + tanh u) / 2 + x u' (1 - tanh^2 u) / 2, with 1 - tanh^2 = 1 / cosh^2.
    u = tanh_inner(x)
    with np.errstate(over="ignore"):
        du = np.sqrt(np.longdouble(2) / np.pi) * (1 + 3 * np.longdouble("0.044715") * x * x)
        bell = 1 / np.cosh(u) ** 2
    return product(x, sigmoid(2 * u)), sigmoid(2 * u) + product(x * du, bell) / 2


def gated(k):
    def function(x):
        s, rest = sigmoid(k * x), sigmoid(-k * x)
        return product(x, s), s + product(k * x, s * rest)
    return function


KINDS = {"gelu_erf": gelu_erf, "gelu_tanh": gelu_tanh, "quick_gelu": gated(np.longdouble("1.702")),
         "silu": gated(np.longdouble(1))}


def points(element):
    grid = np.concatenate([np.linspace(-12, 12, 961), np.linspace(-0.01, 0.01, 21)])
    ends = np.array([13, 17, 25, 40, 60, 89, 120, 500, 1e4, 1e13, 1e20, 1e154, LARGEST[element]])
    ends = np.minimum(ends, LARGEST[element])
    return round_to(np.concatenate([grid, ends, -ends, [0.0, -0.0]]), element)


def tolerance(x, factor, element):
    """A few units of the compute type on the terms, and one rounding to the type.
    An argument of exp or erfc is off by a unit or two, which costs |z| as many."""
    compute = EPS["f64" if element == "f64" else "f32"]
    smallest = {"f64": 1e-300, "f16": 6e-8}.get(element, 1e-37)
    return np.abs(factor) * EPS[element] * 1.01 + smallest + compute * (16 + 4 * np.minimum(x * x, 1600)) * np.abs(factor)


def check_kind(suite, module, kind, element, shape_of=lambda n: (n,), result=None):
    x = round_to(points(result or element), element)
    g = round_to(np.random.default_rng(5).normal(size=x.shape), element)
    t = type_of(shape_of(x.size), element)
    r = type_of(shape_of(x.size), result or element)
    name = module.add(f"(%x: {t}, %g: {t}) -> ({r}, {t})",
                      f"  %y = memopt.activation {kind} %x : {t} -> {r}\n"
                      f"  %dx = memopt.activation_grad {kind} %g, %x : {t}, {t} -> {t}\n"
                      f"  return %y, %dx : {r}, {t}")

    def check():
        shape = shape_of(x.size)
        y, dx = module.run(name, [x.reshape(shape), g.reshape(shape)])
        y, dx = y.reshape(-1), dx.reshape(-1)
        label = f"{kind} {t} -> {r}"
        suite.check(f"{label}: no NaN", not np.isnan(y).any() and not np.isnan(dx).any())
        wide = x.astype(np.longdouble)
        with np.errstate(over="ignore"):
            h, slope = KINDS[kind](wide)
            suite.check(f"{label}: forward", *outcome(y, h, tolerance(wide, h, result or element)))
            # The two terms of h' cancel near its zero, so the tolerance follows them.
            terms = np.maximum(np.abs(slope), np.abs(h) / np.maximum(np.abs(wide), 1e-30))
            suite.check(f"{label}: gradient",
                        *outcome(dx, g.astype(np.longdouble) * slope,
                                 tolerance(wide, g.astype(np.longdouble) * terms, element)))
    return check


def outcome(got, want, allowed):
    why = close(got, want, allowed)
    return not why, why


def check_nan(suite, module):
    """A NaN in x or g gives a NaN, as in the exact function."""
    t = type_of((2,), "f32")
    names = {kind: module.add(f"(%x: {t}, %g: {t}) -> {t}",
                              f"  %dx = memopt.activation_grad {kind} %g, %x : {t}, {t} -> {t}\n"
                              f"  return %dx : {t}") for kind in KINDS}

    def check():
        x, g = np.array([np.nan, 1], np.float32), np.array([1, np.nan], np.float32)
        for kind, name in names.items():
            suite.check(f"{kind}: NaN stays NaN", np.isnan(module.run(name, [x, g])[0]).all())
    return check


def main():
    suite, module = Suite(), Module()
    checks = [check_kind(suite, module, kind, element) for kind in KINDS for element in EPS]
    checks.append(check_kind(suite, module, "silu", "f32", lambda n: (1, n, 1), result="bf16"))
    checks.append(check_kind(suite, module, "gelu_erf", "f64", result="f32"))
    checks.append(check_nan(suite, module))
    for check in checks:
        check()
    suite.close()


if __name__ == "__main__":
    main()
