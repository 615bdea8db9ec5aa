#!/usr/bin/env python3
"""encode and step_grad against numpy: 1 to 4 bits, every element type, every kind of
tail, and no access outside the buffers (the same functions under AddressSanitizer)."""
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

import numpy as np

from _numeric import Module, Suite, close, round_to, run_step, type_of
from _suite import LLVM_BIN

SHAPES = [(1,), (2,), (3,), (5,), (7,), (15,), (1025,), (3, 5), (5, 205), (), (0,), (0, 4), (4, 0),
          (8,), (4, 8), (2, 3, 16), (1, 24)]
ELEMENTS = ["f32", "f64", "f16", "bf16"]
COMPUTE = {"f64": "float64", "f32": "float32", "f16": "float32", "bf16": "float32"}


def is_aligned(shape, bits):
    return bool(shape) and shape[-1] * bits % 8 == 0


def code_shape(shape, bits):
    if is_aligned(shape, bits):
        return shape[:-1] + (shape[-1] * bits // 8,)
    return (-(-int(np.prod(shape)) * bits // 8),)


def pack(codes, bits):
    """Element i takes bits b i .. b i + b - 1, the lowest bit of byte 0 first."""
    stream = ((codes.reshape(-1, 1) >> np.arange(bits)) & 1).astype(np.uint8).reshape(-1)
    return np.packbits(stream, bitorder="little")


def thresholds_of(bits):
    return list(np.round(np.linspace(-3.1, 2.9, 2**bits - 1), 3)) if bits > 1 else [0.0]


def slopes_of(bits):
    return [0.0, 1.0] if bits == 1 else list(np.round(np.linspace(-0.3, 1.1, 2**bits), 4))


def values(random, shape, element, thresholds):
    """Random values, with thresholds, NaN and infinities among them."""
    x = random.normal(size=shape) * 3
    flat = x.reshape(-1)
    special = np.array(thresholds + [np.nan, np.inf, -np.inf, 1e4, -1e4, 0.0, -0.0])
    picks = random.permutation(flat.size)[:min(special.size, flat.size // 2)]
    flat[picks] = special[:picks.size]
    return round_to(x, element)


class Case:
    def __init__(self, module, random, shape, bits, element, dynamic=0):
        self.name = f"{bits} bits of {type_of(shape, element, dynamic)}"
        self.bits, self.element, self.shape = bits, element, shape
        self.thresholds, self.slopes = thresholds_of(bits), slopes_of(bits)
        x, code = type_of(shape, element, dynamic), type_of(code_shape(shape, bits), "i8", dynamic)
        self.function = module.add(
            f"(%x: {x}, %g: {x}) -> ({code}, {x})",
            f"  %code = memopt.encode %x thresholds {self.thresholds} : {x} -> {code}\n"
            f"  %dx = memopt.step_grad %g, %code slopes {self.slopes} : {x}, {code} -> {x}\n"
            f"  return %code, %dx : {code}, {x}")
        self.x = values(random, shape, element, self.thresholds)
        self.g = round_to(random.normal(size=shape), element)

    def expected(self):
        compute = COMPUTE[self.element]
        x = self.x.astype(compute)
        codes = np.zeros(self.shape, np.int64)
        for threshold in np.array(self.thresholds, compute):
            codes += x > threshold
        slopes = np.array(self.slopes, compute)[codes]
        dx = round_to(self.g.astype(compute) * slopes, self.element)
        return pack(codes, self.bits).reshape(code_shape(self.shape, self.bits)), dx

    def check(self, suite, results):
        code, dx = self.expected()
        same = code.astype(np.uint8).tobytes() == results[0].astype(np.int8).tobytes()
        suite.check(f"{self.name}: codes", same and results[0].shape == code.shape,
                    f"{results[0].tolist()}, expected {code.astype(np.int8).tolist()}")
        suite.check(f"{self.name}: gradient", not close(results[1], dx, 0), close(results[1], dx, 0))


def make_cases(module):
    random = np.random.default_rng(3)
    cases = []
    for bits in (1, 2, 3, 4):
        for element in ELEMENTS if bits in (2, 3) else ["f32"]:
            cases += [Case(module, random, shape, bits, element) for shape in SHAPES]
        cases.append(Case(module, random, (2, 3, 16), bits, "bf16", dynamic=1))
        cases.append(Case(module, random, (0, 8), bits, "f32", dynamic=1))
    return cases


# -- under AddressSanitizer ------------------------------------------------------

OUT_OF_BOUNDS = """
func.func @outside(%x: tensor<3xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %i0 = tensor.extract %i[%c0] : tensor<1xi64>
  %at = arith.index_cast %i0 : i64 to index
  %v = tensor.extract %x[%at] : tensor<3xf32>
  %y = tensor.from_elements %v : tensor<1xf32>
  return %y : tensor<1xf32>
}
"""


def piped(command, text):
    done = subprocess.run([str(c) for c in command], input=text.encode(), capture_output=True)
    if done.returncode:
        raise run_step.StepError(done.stderr.decode()[:2000])
    return done.stdout.decode()


def compile_sanitized(text, library):
    """The module in `text` with every function instrumented, as a shared object."""
    lowered = piped([LLVM_BIN / "mlir-opt", f"--pass-pipeline=builtin.module({run_step.PIPELINE})"], text)
    ir = piped([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir"], lowered)
    ir = re.sub(r"^(define [^\n]*\)) \{$", r"\1 sanitize_address {", ir, flags=re.M)
    piped([LLVM_BIN / "clang", "-fsanitize=address", "-shared-libasan", *run_step.CLANG, "-o", library], ir)


def run_sanitized(jobs, library):
    """Runs (function, types, arrays) jobs in a Python with the sanitizer loaded;
    returns (exit code, standard error)."""
    runtime = piped([LLVM_BIN / "clang", "-print-file-name=libclang_rt.asan-x86_64.so"], "").strip()
    done = subprocess.run([sys.executable, __file__, "--jobs", library], input=pickle.dumps(jobs),
                          capture_output=True,
                          env={"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0:exitcode=99"})
    return done.returncode, done.stderr.decode(errors="replace")


def run_jobs(library):
    for name, arguments, results, arrays in pickle.loads(sys.stdin.buffer.read()):
        step = run_step.Step(pathlib.Path(library), name, arguments, results, 0.0)
        run_step._call(step, [run_step._argument(i, a, t) for i, (a, t) in enumerate(zip(arrays, arguments))])


def check_bounds(suite, module, cases):
    text = piped([LLVM_BIN / "mlir-opt"], module.text())
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "codes.so"
        compile_sanitized(text, library)
        jobs = [(*run_step.signature(text, c.function), [c.x, c.g]) for c in cases]
        code, err = run_sanitized(jobs, library)
        suite.check("no access outside a buffer", code == 0, err[:2000])
        # The harness itself: element 3 of three is found to be outside.
        compile_sanitized(piped([LLVM_BIN / "mlir-opt"], OUT_OF_BOUNDS), library)
        job = (*run_step.signature(OUT_OF_BOUNDS, "outside"), [np.ones(3, np.float32), np.array([3])])
        code, err = run_sanitized([job], library)
        suite.check("the sanitizer sees a read past the end", code == 99 and "heap-buffer-overflow" in err, err[:500])


def main():
    suite, module = Suite(), Module()
    cases = make_cases(module)
    for case in cases:
        case.check(suite, module.run(case.function, [case.x, case.g]))
    check_bounds(suite, module, cases)
    suite.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--jobs"]:
        run_jobs(sys.argv[2])
    else:
        main()
