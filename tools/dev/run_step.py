#!/usr/bin/env python3
"""Compiles a training step with upstream MLIR 22 passes and runs it on the CPU.

    run_step.py STEP.mlir --npz STEP.npz            run, compare with the framework
    run_step.py STEP.mlir --npz STEP.npz --against OTHER.mlir   and with another step
    run_step.py STEP.mlir --npz STEP.npz --pipeline 'memopt-pipeline{...}'   after mem-opt

As a module:

    step = run_step.compile_step(text_or_path)      # cached by content
    results = run_step.run(step, arrays)            # list of numpy arrays
    text = run_step.optimize(text_or_path, "memopt-pipeline{approximate=true}")

Nothing of mem-opt's own lowering is used, so what runs here is what any stack
on upstream MLIR would compute. Floating point is strict: no contraction, no
reassociation, baseline instruction set; reductions run in the order of the loops.
Two steps that agree on an op therefore agree on its bits. bf16 values are float32
arrays outside (rounded to nearest even on the way in).
"""
import argparse
import ctypes
import hashlib
import os
import pathlib
import pickle
import re
import subprocess
import sys
import time
import traceback
import typing

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLVM = pathlib.Path(os.environ.get("MEMOPT_LLVM", "/usr/lib/llvm-22"))

# Every tensor becomes a buffer of its own layout at the function's boundary; an
# init that is shared is copied by the analysis where a write would be seen.
PIPELINE = ",".join([
    "inline", "func.func(convert-elementwise-to-linalg)", "convert-tensor-to-linalg",
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map}",
    "canonicalize", "func.func(convert-linalg-to-loops)",
    "memref-expand", "expand-strided-metadata", "lower-affine", "convert-scf-to-cf",
    "lower-affine", "func.func(math-expand-ops{ops=fpowi,rsqrt},llvm-request-c-wrappers)",
    "convert-math-to-libm", "convert-math-to-llvm", "arith-expand{include-bf16=true}",
    "convert-to-llvm", "reconcile-unrealized-casts"])

CLANG = ["-O1", "-shared", "-fPIC", "-ffp-contract=off", "-fuse-ld=lld", "-Wno-override-module",
         "-x", "ir", "-", "-lm", f"-L{LLVM}/lib", "-lmlir_c_runner_utils",
         "-lmlir_float16_utils", f"-Wl,-rpath,{LLVM}/lib"]

DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
          "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
          "index": "int64"}


class StepError(RuntimeError):
    """A step that cannot be read, compiled or run; the text says why."""


class TensorType(typing.NamedTuple):
    shape: tuple  # None where the size is dynamic
    dtype: str    # as in DTYPES' values

    @property
    def numpy(self):
        return np.dtype("uint16" if self.dtype == "bfloat16" else self.dtype)


class Step(typing.NamedTuple):
    library: pathlib.Path
    function: str
    arguments: list  # of TensorType
    results: list    # of TensorType
    seconds: float   # compile time; 0 where it was cached


def build_dir():
    return pathlib.Path(os.environ.get("MEMOPT_BUILD", ROOT / "build"))


def _tool(command, text, what):
    done = subprocess.run(command, input=text.encode(), capture_output=True)
    if done.returncode:
        raise StepError(f"{what} failed:\n{done.stderr.decode(errors='replace')[:4000]}")
    return done.stdout.decode()


def read(step):
    """The text of a step: a path (.mlir or .mlir.zst) is read, other text is itself."""
    if isinstance(step, pathlib.Path) or (isinstance(step, str) and "\n" not in step
                                          and os.path.exists(step)):
        if str(step).endswith(".zst"):
            return _tool(["zstd", "-dcq", str(step)], "", "zstd")
        return pathlib.Path(step).read_text()
    return step


def optimize(step, pipeline, build=None):
    """The text of `step` after mem-opt ran `pipeline` (without builtin.module)."""
    program = (build or build_dir()) / "bin" / "mem-opt"
    return _tool([program, f"--pass-pipeline=builtin.module({pipeline})", "-"], read(step),
                 f"mem-opt {pipeline}")


# -- the signature -----------------------------------------------------------

def _split(text):
    """Splits at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text.replace("->", "  ")):
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    last = text[start:].strip()
    return [p.strip() for p in parts] + ([last] if last else [])


def _closing(text, start):
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise StepError("unbalanced parentheses in a signature")


def _tensor_type(text):
    match = re.match(r"tensor<((?:[\d?]+x)*)(\w+)>", text)
    if not match or match[2] not in DTYPES:
        raise StepError(f"a step runs on tensors of floats and integers, not on '{text}'")
    dims = match[1].split("x")[:-1]
    return TensorType(tuple(None if d == "?" else int(d) for d in dims), DTYPES[match[2]])


def signature(text, function=None):
    """(name, argument types, result types) of the step in `text` as mlir-opt prints
    it: the function named, else @main, else the only public one with a body."""
    found = {}
    for match in re.finditer(r"^ *func\.func (?:public |(private ))?@([\w$.-]+)\(", text, re.M):
        end = _closing(text, match.end() - 1)
        results = re.match(r" -> ", text[end + 1:])
        outs = ""
        if results:
            rest = end + 1 + results.end()
            line = text[rest:text.index("\n", rest)]
            outs = line[1:_closing(line, 0)] if line[0] == "(" else re.split(r" attributes | \{", line)[0]
        if not match[1]:
            found[match[2]] = (text[match.end():end], outs)
    name = function or ("main" if "main" in found else next(iter(found), None))
    if name not in found or (not function and name != "main" and len(found) > 1):
        raise StepError(f"no function {function or 'main'} among: {', '.join(found) or 'none'}")
    arguments = [a.split(": ", 1)[1] for a in _split(found[name][0])]
    return name, [_tensor_type(a) for a in arguments], [_tensor_type(r) for r in _split(found[name][1])]


# -- compiling and running ---------------------------------------------------

def compile_step(step, function=None, build=None):
    """Compiles `step` (path or text) to a shared object under BUILD/steps, which
    is named by the hash of all that went in and reused."""
    text = read(step)
    key = hashlib.sha256("\0".join([text, PIPELINE, *CLANG]).encode()).hexdigest()[:24]
    folder = (build or build_dir()) / "steps"
    library, printed = folder / f"{key}.so", folder / f"{key}.mlir"
    start = time.perf_counter()
    seconds = 0.0
    if not (library.exists() and printed.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        normal = _tool([LLVM / "bin/mlir-opt", "-"], text, "mlir-opt")
        lowered = _tool([LLVM / "bin/mlir-opt", f"--pass-pipeline=builtin.module({PIPELINE})", "-"],
                        normal, "lowering")
        ir = _tool([LLVM / "bin/mlir-translate", "--mlir-to-llvmir", "-"], lowered, "mlir-translate")
        temporary = folder / f"{key}.{os.getpid()}.so"
        _tool([LLVM / "bin/clang", *CLANG, "-o", temporary], ir, "clang")
        # Only the signatures are needed again.
        printed.write_text("".join(line + "\n" for line in normal.splitlines() if "func.func" in line))
        os.replace(temporary, library)
        seconds = time.perf_counter() - start
    return Step(library, *signature(printed.read_text(), function), seconds)


def to_bf16(array):
    """Bits of float32 values rounded to bfloat16, nearest even; NaN stays NaN."""
    bits = np.array(array, np.float32, order="C").view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return np.asarray(np.left_shift(bits, 16, dtype=np.uint32)).view(np.float32)


def _descriptor(rank):
    """The memref descriptor of a strided buffer, as MLIR's C interface takes it."""
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def _argument(index, array, type_):
    array = np.asarray(array)
    if type_.dtype == "bfloat16" and array.dtype == np.float32:
        array = to_bf16(array)
    fits = len(array.shape) == len(type_.shape) and all(
        want in (None, have) for want, have in zip(type_.shape, array.shape))
    if not fits or array.dtype != type_.numpy:
        raise StepError(f"argument {index} is {array.dtype}{list(array.shape)}, "
                        f"the step takes {type_.dtype}{list(type_.shape)}")
    # A copy: the step may write into an argument that it no longer reads.
    return np.array(array, order="C", copy=True)


def _pass(array):
    memref = _descriptor(array.ndim)()
    memref.allocated = memref.aligned = array.ctypes.data
    for i in range(array.ndim):
        memref.sizes[i] = array.shape[i]
        memref.strides[i] = array.strides[i] // array.itemsize
    return memref


def _take(memref, type_):
    rank, dtype = len(type_.shape), type_.numpy
    shape = [memref.sizes[i] for i in range(rank)]
    if 0 in shape:
        array = np.empty(shape, dtype)
    else:
        span = 1 + sum((memref.sizes[i] - 1) * memref.strides[i] for i in range(rank))
        start = memref.aligned + memref.offset * dtype.itemsize
        flat = np.frombuffer((ctypes.c_char * (span * dtype.itemsize)).from_address(start), dtype)
        array = np.lib.stride_tricks.as_strided(
            flat, shape, [memref.strides[i] * dtype.itemsize for i in range(rank)]).copy()
    return from_bf16(array) if type_.dtype == "bfloat16" else array


def _call(step, arrays):
    """Loads the library and calls the step; returns (results, seconds of the call)."""
    library = ctypes.CDLL(str(step.library))
    memrefs = [_pass(a) for a in arrays]
    results = type("Results", (ctypes.Structure,), {"_fields_": [
        (f"r{i}", _descriptor(len(t.shape))) for i, t in enumerate(step.results)]})()
    pointers = [ctypes.byref(m) for m in memrefs]
    if step.results:
        pointers.insert(0, ctypes.byref(results))
    start = time.perf_counter()
    getattr(library, f"_mlir_ciface_{step.function}")(*pointers)
    seconds = time.perf_counter() - start
    return [_take(getattr(results, f"r{i}"), t) for i, t in enumerate(step.results)], seconds


def run_timed(step, arrays):
    """Runs a compiled step on a list of arrays; returns (results, seconds).

    Each run is a process of its own: globals (a dropout's seed) start afresh, what
    the step allocates is gone afterwards, and a failed cf.assert becomes an error."""
    if len(arrays) != len(step.arguments):
        raise StepError(f"the step takes {len(step.arguments)} arguments, not {len(arrays)}")
    arrays = [_argument(i, a, t) for i, (a, t) in enumerate(zip(arrays, step.arguments))]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, "wb") as out:
                pickle.dump(_call(step, arrays), out, protocol=5)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    status = os.waitpid(child, 0)[1]
    if status:
        raise StepError(f"the step stopped with {'signal ' + str(status & 127) if status & 127 else 'an error'}")
    return pickle.loads(data)


def run(step, arrays):
    return run_timed(step, arrays)[0]


def run_here(step, arrays):
    """Like `run`, in this process: quick, for many runs of one step. What the step
    allocates stays, globals keep their values, a failed assertion ends the process."""
    return _call(step, [_argument(i, a, t) for i, (a, t) in enumerate(zip(arrays, step.arguments))])[0]


def arguments_of(npz, step):
    """The arrays arg0, arg1, ... of an .npz as a list in the step's order."""
    return [npz[f"arg{i}"] for i in range(len(step.arguments))]


def random_arguments(step, seed=0):
    """Arrays for a step that has none: small normal numbers, and integers from 0 to 7
    (ids and labels must lie within the step's tables)."""
    random = np.random.default_rng(seed)
    arrays = {}
    for i, type_ in enumerate(step.arguments):
        if None in type_.shape:
            raise StepError(f"argument {i} has a dynamic size: pass arrays")
        if "float" in type_.dtype:
            dtype = np.float32 if type_.dtype == "bfloat16" else type_.numpy
            arrays[f"arg{i}"] = (0.1 * random.normal(size=type_.shape)).astype(dtype)
        else:
            arrays[f"arg{i}"] = random.integers(0, 2 if type_.dtype == "bool" else 8,
                                                type_.shape).astype(type_.numpy)
    return arrays


# -- the command -------------------------------------------------------------

def main():
    import compare_results
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step")
    parser.add_argument("--npz", required=True, help="arrays argI, and references resI, res64_I")
    parser.add_argument("--function", help="the step's function (default: main, or the only one)")
    parser.add_argument("--pipeline", help="first run this mem-opt pipeline on the step")
    parser.add_argument("--against", help="a step whose results must have the same bits")
    parser.add_argument("--build", type=pathlib.Path, help="build directory (default: build)")
    parser.add_argument("--verbose", action="store_true", help="a line for every result")
    options = parser.parse_args()
    build = options.build.resolve() if options.build else None
    text = read(options.step)
    if options.pipeline:
        text = optimize(text, options.pipeline, build)
    step = compile_step(text, options.function, build)
    with np.load(options.npz) as npz:
        arrays = dict(npz)
    results, seconds = run_timed(step, arguments_of(arrays, step))
    print(f"compiled in {step.seconds:.1f} s, ran in {seconds * 1e3:.0f} ms, result 0 = {results[0]}")
    checks = compare_results.compare(results, arrays)
    for check in checks:
        if options.verbose or not check.ok:
            print(check)
    bad = sum(not c.ok for c in checks)
    print(f"{len(checks) - bad} of {len(checks)} results within tolerance")
    if options.against:
        other = run(compile_step(read(options.against), options.function, build), arguments_of(arrays, step))
        differ = [i for i, (a, b) in enumerate(zip(results, other)) if not compare_results.same_bits(a, b)]
        print(f"results that differ in bits from {options.against}: {differ or 'none'}")
        bad += len(differ)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    try:
        main()
    except StepError as error:
        sys.exit(f"run_step: {error}")
