"""How close results are to a framework's own, tensor by tensor.

An .npz holds for result i the framework's float32 value `resI` and, where there
is one, the same graph's float64 value `res64_I`. With |.| the Euclidean norm of a
whole tensor, a result r is right where

    |r - res64| <= max(1e-5 |res64|, 4 |res - res64|).

The second term is for gradients that are zero in exact arithmetic (a key bias
before a softmax): the framework's own float32 is then off by any factor, and no
relative bound could hold. Where there is no `res64`, that error is unknown, and

    |r - res| <= 1e-5 max(|res|, 0.01 G),   G the largest |res| of the results

takes its place: 1e-7 G is about the rounding unit of float32 at the largest gradient.
"""
import typing

import numpy as np

RELATIVE = 1e-5
FRAMEWORK = 4.0
FLOOR = 1e-2


class Check(typing.NamedTuple):
    index: int
    norm: float       # of the reference
    error: float      # |r - reference|
    tolerance: float
    exact: bool       # the reference is float64

    @property
    def ok(self):
        return bool(self.error <= self.tolerance)  # False for NaN

    @property
    def relative(self):
        """The error over the reference's norm; 0 where both are 0."""
        return self.error / self.norm if self.norm else (float("inf") if self.error else 0.0)

    def __str__(self):
        return (f"result {self.index:3d}: norm {self.norm:.3e} error {self.error:.2e} "
                f"tolerance {self.tolerance:.2e} {'ok' if self.ok else 'WRONG'}")


def _norm(array):
    return float(np.linalg.norm(np.asarray(array, np.float64).ravel()))


def compare(results, arrays, relative=RELATIVE):
    """A Check for every result that `arrays` (an .npz) has a reference for."""
    known = [i for i in range(len(results)) if f"res{i}" in arrays or f"res64_{i}" in arrays]
    largest = max((_norm(arrays[f"res{i}"]) for i in known if f"res{i}" in arrays), default=0.0)
    checks = []
    for i in known:
        exact = arrays.get(f"res64_{i}")
        single = arrays.get(f"res{i}")
        reference = np.asarray(single if exact is None else exact, np.float64)
        if results[i].shape != reference.shape:
            checks.append(Check(i, _norm(reference), float("inf"), 0.0, exact is not None))
            continue
        norm = _norm(reference)
        if exact is None:
            tolerance = relative * max(norm, FLOOR * largest)
        else:
            own = 0.0 if single is None else _norm(np.asarray(single, np.float64) - reference)
            tolerance = max(relative * norm, FRAMEWORK * own)
        error = _norm(np.asarray(results[i], np.float64) - reference)
        checks.append(Check(i, norm, error, tolerance, exact is not None))
    return checks


def same_bits(a, b):
    """True where both arrays have the same type, shape and bytes."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
