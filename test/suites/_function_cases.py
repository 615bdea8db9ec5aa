"""Functions of f64 and powers, which generators write as arithmetic of their own."""
import math

import numpy as np

from _kernel_cases import RNG, WIDE, t

ULP = {"f64": 2.0**-52, "f32": 2.0**-23}
WHOLE = {"f64": np.float64, "f32": np.float32}
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0])


def erf(x):
    return np.vectorize(math.erf)(np.asarray(x, np.float64)).astype(WIDE)


def erfc(x):
    return np.vectorize(math.erfc)(np.asarray(x, np.float64)).astype(WIDE)


def add_function(cases, name, function, x, e="f64", units=2):
    """Each result within `units` units in the last place, subnormal ones within the least number."""
    x = np.unique(x.astype(WHOLE[e]))
    with np.errstate(all="ignore"):
        want = function(x.astype(WIDE))
        want = np.where(abs(want) > np.finfo(WHOLE[e]).max, np.sign(want) * np.inf, want)
    kind = t(len(x), 1, e=e)
    floor = float(np.finfo(WHOLE[e]).tiny)
    cases.add(f"math.{name} of {e}", "elementwise", [("x", kind, x[:, None])], [("%r", kind)],
              f"%r = math.{name} %x : {kind}", [want[:, None]], units * ULP[e], floor)


def add_special(cases, name, function):
    with np.errstate(all="ignore"):
        want = function(SPECIAL)
    cases.add(f"math.{name} of what is special", "elementwise", [("x", t(7, e="f64"), SPECIAL)], [("%r", t(7, e="f64"))],
              f"%r = math.{name} %x : {t(7, e='f64')}", [want], 4 * ULP["f64"])


def add_doubles(cases):
    near = RNG.standard_normal(4000)
    inside = np.concatenate([near, near * 10, near * 1e-3, np.linspace(-20, 20, 2001)])
    far = np.exp(RNG.uniform(-700, 700, 4000))
    tiny = np.array([5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-17])
    positive = np.concatenate([far, tiny, 1 + near[:1000] * 1e-3, np.abs(near), 2.0**np.arange(-1074, 1024, 37)])
    powers = np.concatenate([inside, RNG.uniform(-750, 720, 4000), tiny])
    angles = np.concatenate([inside, near * 1e4, near * 1e10, np.arange(1, 400) * (math.pi / 2)])
    functions = {"exp": (np.exp, powers), "exp2": (np.exp2, RNG.uniform(-1080, 1030, 6000)), "expm1": (np.expm1, powers),
                 "log": (np.log, positive), "log2": (np.log2, positive), "log10": (np.log10, positive),
                 "log1p": (np.log1p, np.concatenate([positive, near * 1e-4, -np.exp(-np.abs(near))])),
                 "tanh": (np.tanh, inside), "sin": (np.sin, angles), "cos": (np.cos, angles),
                 "erf": (erf, np.concatenate([inside, tiny])), "erfc": (erfc, np.concatenate([inside, RNG.uniform(0, 27, 3000)]))}
    for name, (function, x) in functions.items():
        add_function(cases, name, function, x, units=4)
        add_special(cases, name, np.vectorize(math.erf if name == "erf" else math.erfc) if name.startswith("erf")
                    else getattr(np, name))
    add_function(cases, "exp2", np.exp2, RNG.uniform(-155, 130, 4000), "f32", 1)
    add_function(cases, "log10", np.log10, np.exp(RNG.uniform(-80, 80, 4000)), "f32", 1)
    x = np.array([1e16, -1e300, 2.0**50])
    for name in ("sin", "cos"):
        cases.add(f"math.{name} beyond its reduction", "elementwise", [("x", t(3, e="f64"), x)], [("%r", t(3, e="f64"))],
                  f"%r = math.{name} %x : {t(3, e='f64')}", [np.full(3, np.nan)])


def add_powers(cases):
    for e in ("f64", "f32"):
        spread = 40 if e == "f32" else 340
        x = np.exp(RNG.uniform(-spread, spread, 6000)).astype(WHOLE[e])
        y = (RNG.standard_normal(6000) * 2).astype(WHOLE[e])
        close = (1 + RNG.standard_normal(2000) * 1e-3).astype(WHOLE[e])
        x, y = np.concatenate([x, close]), np.concatenate([y, RNG.uniform(-5e4, 5e4, 2000).astype(WHOLE[e])])
        with np.errstate(all="ignore"):
            want = np.power(x.astype(WIDE), y.astype(WIDE))
            want = np.where(want > np.finfo(WHOLE[e]).max, np.inf, want)
        kind = t(len(x), 1, e=e)
        cases.add(f"math.powf of {e}", "elementwise", [("x", kind, x[:, None]), ("y", kind, y[:, None])], [("%r", kind)],
                  f"%r = math.powf %x, %y : {kind}", [want[:, None]], 1.5 * ULP[e], float(np.finfo(WHOLE[e]).tiny))
        add_special_powers(cases, e)


def add_special_powers(cases, e):
    """IEEE 754-2019, 9.2.1, as the C library has it; signs of zeros and infinities too."""
    top = float(np.finfo(WHOLE[e]).max)
    some = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e30, -1e30, top, -top, 2.5,
                     1e-30, -1e-30], WHOLE[e])
    x, y = (a.reshape(-1) for a in np.meshgrid(some, some))
    with np.errstate(all="ignore"):
        want = np.power(x, y)
    kind = t(len(x), 1, e=e)
    sign = np.where(np.isnan(want), 0, np.copysign(1, want))
    cases.add(f"math.powf of what is special, {e}", "elementwise", [("x", kind, x[:, None]), ("y", kind, y[:, None])],
              [("%r", kind), ("%sign", kind)], f"""%r = math.powf %x, %y : {kind}
%one = arith.constant dense<1.0> : {kind}
%zero = arith.constant dense<0.0> : {kind}
%side = math.copysign %one, %r : {kind}
%known = arith.cmpf ord, %r, %r : {kind}
%sign = arith.select %known, %side, %zero : {t(len(x), 1, e='i1')}, {kind}""", [want[:, None], sign[:, None]], 2 * ULP[e])
