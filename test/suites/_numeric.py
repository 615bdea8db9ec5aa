"""Op-by-op numeric tests: many small functions in one module, compiled once."""
import numpy as np

from _suite import BUILD, Suite
import run_step  # _suite made it importable

# Half the distance between neighbours around 1.
EPS = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


def type_of(shape, element, dynamic=0):
    """The tensor type of `shape`, its first `dynamic` dimensions unknown."""
    dims = ["?" if i < dynamic else str(d) for i, d in enumerate(shape)]
    return f"tensor<{'x'.join(dims + [element])}>"


def round_to(array, element):
    """The values of `array` rounded to `element`, in the type that run_step takes."""
    with np.errstate(over="ignore", invalid="ignore"):
        if element == "f64":
            return np.asarray(array, np.float64)
        if element == "f16":
            return np.asarray(array, np.float16)
        array = np.asarray(array, np.float32)
        return run_step.from_bf16(run_step.to_bf16(array)) if element == "bf16" else array


class Module:
    """Functions added one by one, lowered and compiled together."""

    def __init__(self, pipeline="memopt-to-linalg"):
        self.pipeline, self.texts, self.lowered = pipeline, [], None

    def add(self, signature, body):
        """Adds a function; `signature` is '(ARGS) -> RESULTS'. Returns its name."""
        name = f"f{len(self.texts)}"
        self.texts.append(f"func.func @{name}{signature} {{\n{body}\n}}\n")
        return name

    def text(self):
        if self.lowered is None:
            self.lowered = run_step.optimize("\n".join(self.texts) + "\n", self.pipeline, BUILD)
        return self.lowered

    def run(self, name, arrays):
        return run_step.run(run_step.compile_step(self.text(), name, BUILD), arrays)


def close(got, want, tolerance):
    """Empty where |got - want| <= tolerance elementwise (NaN and infinities where
    `want` has them), else the worst element in words."""
    got = np.asarray(got, np.longdouble)
    want = np.asarray(want, np.longdouble)
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        bad = ~same & ~(np.abs(got - want) <= tolerance)
    if not bad.any():
        return ""
    error = np.where(bad, np.nan_to_num(np.abs(got - want), nan=np.inf), 0)
    i = np.unravel_index(np.argmax(error), error.shape)
    return (f"{int(bad.sum())} of {bad.size} off, worst at {tuple(map(int, i))}: "
            f"{float(got[i])!r}, expected {float(want[i])!r}")


__all__ = ["EPS", "Module", "Suite", "close", "round_to", "run_step", "type_of"]
