"""Fused kernels run by themselves: many functions, each the body of one kernel of a
planned step, generated, compiled and run together."""
import ctypes
import pathlib
import re
import tempfile

import numpy as np

from _suite import BUILD, LLVM_BIN, command
import run_step  # _suite made it importable

CLANG = "clang-22"
# Units one after the other in pieces, the last piece first: a kernel may not depend on their order.
RUNTIME = """
#include <stdint.h>
typedef void (*kernel_t)(void *const *, int64_t, int64_t);
void memopt_cpu_parallel(kernel_t kernel, void *const *buffers, int64_t count, int64_t grain) {
  for (int64_t i = (count - 1) / grain; i >= 0; --i)
    kernel(buffers, i * grain, (i + 1) * grain < count ? (i + 1) * grain : count);
}
"""
FUNCTION = re.compile(r"^  func\.func @(\w+)\((.*?)\) -> ([^\n]*) \{\n(.*?)^    return (.*?) : (.*?)$", re.M | re.S)
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i1": np.uint8,
          "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


class KernelError(Exception):
    """What a tool said."""


def split_type(tensor):
    """(shape, element) of 'tensor<4x8xf32>'."""
    *shape, element = tensor[len("tensor<"):-1].split("x")
    return tuple(map(int, shape)), element


def to_memory(array, element):
    """The array as it lies in memory, a copy aligned to 64 bytes."""
    array = run_step.to_bf16(np.asarray(array, np.float32)) if element == "bf16" else np.asarray(array, DTYPES[element])
    raw = np.empty(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    out = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    out[...] = array
    return out


def from_memory(array, element):
    return run_step.from_bf16(array) if element == "bf16" else array


def tool(arguments, text):
    code, out, err = command(arguments, input=text)
    if code:
        raise KernelError(err.strip())
    return out


def optimize(text, *flags):
    return tool([BUILD / "bin" / "mem-opt", "-", *flags], text)


def commas(text):
    """Splits at commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


class Kernels:
    """Functions on tensors; each runs as one kernel."""

    def __init__(self):
        self.texts, self.kinds, self.library = [], [], None

    def add(self, kind, signature, body):
        """Adds a kernel of kind `kind`; `signature` is '(ARGS) -> RESULTS'. Returns its number."""
        self.kinds.append(kind)
        self.texts.append(f"func.func @f{len(self.texts)}{signature} {{\n{body}\n}}\n")
        return len(self.texts) - 1

    def step(self):
        """The step that runs all kernels on its arguments."""
        lowered = optimize("\n".join(self.texts), "--memopt-to-linalg")
        aliases = "".join(line + "\n" for line in lowered.splitlines() if line.startswith("#"))
        arguments, ops, self.types = [], [], []
        for number, (name, args, _, body, values, types) in enumerate(FUNCTION.findall(lowered)):
            ins = [a.split(": ", 1) for a in commas(args)]
            results = commas(types)
            self.types.append(([t for _, t in ins], results))
            buffers = [f"%b{number}_{i}" for i in range(len(ins) + len(results))]
            memrefs = [t.replace("tensor", "memref") for t in [t for _, t in ins] + results]
            arguments += [f"{b}: {m}" for b, m in zip(buffers, memrefs)]
            n = len(ins)
            take = f"ins({', '.join(buffers[:n])} : {', '.join(memrefs[:n])}) " if n else ""
            give = f"outs({', '.join(buffers[n:])} : {', '.join(memrefs[n:])})"
            block = f"  ^bb0({', '.join(f'{a}: {t}' for a, t in ins)}):\n" if n else ""
            ops.append(f"memopt.kernel {self.kinds[number]} {take}{give} {{\n{block}{body}"
                       f"    memopt.yield {values} : {types}\n}}\n")
        return (aliases + f"func.func @step({', '.join(arguments + ['%arena: memref<64xi8>'])}) attributes {{"
                "memopt.arena_bytes = 64 : i64, memopt.arena_alignment = 64 : i64, memopt.results = []} {\n"
                + "".join(ops) + "return\n}\n")

    def compile(self, flags=("-O3", "-march=native"), runtime=None):
        """`runtime` is a library to run on instead of the loop above."""
        code = optimize(self.step(), "--memopt-to-cpu")
        llvm = tool([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir", "-"], code)
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        (path / "step.ll").write_text(llvm)
        (path / "runtime.c").write_text(RUNTIME)
        runs = [runtime, f"-Wl,-rpath,{runtime.parent}"] if runtime else [path / "runtime.c"]
        tool([CLANG, *flags, "-shared", "-fPIC", "-Wno-override-module", path / "step.ll", *runs,
              "-o", path / "step.so", "-lm"], "")
        self.library = ctypes.CDLL(str(path / "step.so"))
        return self

    def run(self, inputs):
        """Runs all kernels; `inputs[k]` are kernel k's arrays. Returns a list of results for each."""
        pointers, kept, outs = [], [], []
        for arrays, (ins, results) in zip(inputs, self.types):
            for array, type_ in zip(arrays, ins):
                shape, element = split_type(type_)
                assert np.shape(array) == shape, (np.shape(array), type_)
                kept.append(to_memory(array, element))
                pointers.append(kept[-1].ctypes.data)
            outs.append([])
            for type_ in results:
                shape, element = split_type(type_)
                # Poisoned, so that what is not written shows.
                outs[-1].append((to_memory(np.zeros(shape), element), element))
                outs[-1][-1][0].reshape(-1).view(np.uint8)[...] = 0x7f
                pointers.append(outs[-1][-1][0].ctypes.data)
        self.library.memopt_step((ctypes.c_void_p * len(pointers))(*pointers), None)
        return [[from_memory(a, e) for a, e in results] for results in outs]
