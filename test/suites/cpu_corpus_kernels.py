#!/usr/bin/env python3
"""Every kernel that the committed steps form, run on random inputs by memopt-to-cpu on the
runtime library and, op by op, through linalg's own loops."""
import re

import numpy as np

from _kernels import DTYPES, Kernels, commas, optimize, split_type
from _suite import ALL, BUILD, INPUTS, Suite, command
import run_step

FILES = ["corpus/tiny/vit_full", "corpus/tiny/llama_full_bf16", "captured/gpt_neox"]
KINDS = ("elementwise", "row_reduction", "column_reduction", "contraction", "movement", "opaque")
RUNTIME = BUILD / "lib" / "libmemopt_cpu_runtime.so"


def read(name):
    code, out, err = command(["zstdcat", INPUTS / f"{name}.mlir.zst"])
    assert code == 0, err
    return out


def kernels_of(text):
    """(kind, argument types, result types, argument names, body, yielded values) of each kernel, equal ones once."""
    lines, found, i = text.splitlines(), {}, 0
    while i < len(lines):
        match = re.match(r"    (?:%\S+ = )?memopt\.kernel (\w+) ", lines[i])
        if not match:
            i += 1
            continue
        end = next(k for k in range(i, len(lines)) if lines[k].startswith("    }"))
        body = lines[i + 1:end]
        arguments = []
        if body[0].lstrip().startswith("^bb0("):
            arguments = [a.split(": ", 1) for a in commas(body.pop(0).strip()[len("^bb0("):-2])]
        last = body.pop().strip()
        values, types = re.fullmatch(r"memopt\.yield (.*) : (.*)", last).groups()
        if match[1] in KINDS and all(t.startswith("tensor") for _, t in arguments):
            found.setdefault((match[1], str(arguments), "\n".join(body)),
                             (match[1], arguments, commas(types), "\n".join(body), values))
        i = end
    return list(found.values())


def count_ids(arguments):
    """Ids and labels from 0 to this are within every table that the kernel may read by them."""
    tables = [split_type(t)[0] for _, t in arguments if "xi" not in t]
    return min([8, *(size for shape in tables if len(shape) > 1 for size in shape)])


def random_array(rng, type_, ids):
    shape, element = split_type(type_)
    if element == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if element.startswith("i"):  # codes may be anything
        low, high = (-128, 128) if element == "i8" else (0, ids)
        return rng.integers(low, high, shape).astype(DTYPES[element])
    array = rng.standard_normal(shape).astype(np.float32)
    return run_step.from_bf16(run_step.to_bf16(array)) if element == "bf16" else array


def reference(kernels, aliases, inputs):
    """The results of all kernels, from one function that calls each."""
    args, calls, results = [], [], []
    for number, (_, arguments, types, _, _) in enumerate(kernels):
        names = [f"%a{number}_{i}" for i in range(len(arguments))]
        args += [f"{n}: {t}" for n, (_, t) in zip(names, arguments)]
        calls.append(f"%r{number}:{len(types)} = func.call @f{number}({', '.join(names)}) : "
                     f"({', '.join(t for _, t in arguments)}) -> ({', '.join(types)})")
        results += [(f"%r{number}#{i}", t) for i, t in enumerate(types)]
    types = ", ".join(t for _, t in results)
    text = (aliases + "".join(function(k, n).replace("func.func @", "func.func private @") for n, k in enumerate(kernels))
            + f"func.func @main({', '.join(args)}) -> ({types}) {{\n" + "\n".join(calls)
            + f"\nreturn {', '.join(r for r, _ in results)} : {types}\n}}\n")
    flat = optimize(text, "--memopt-inline-calls")
    outs = run_step.run(run_step.compile_step(flat, build=BUILD), [a for arrays in inputs for a in arrays])
    return outs


def function(kernel, number):
    _, arguments, types, body, values = kernel
    signature = ", ".join(f"{n}: {t}" for n, t in arguments)
    return (f"func.func @f{number}({signature}) -> ({', '.join(types)}) {{\n{body}\n"
            f"return {values} : {', '.join(types)}\n}}\n")


def differs(got, want, element):
    """Empty where they agree: in norm for floats, to the bit for the rest."""
    if element[0] == "i":
        return "" if np.array_equal(got.astype(np.int64), np.asarray(want).astype(np.int64)) else "other integers"
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if not np.array_equal(np.isnan(got), np.isnan(want)):
        return "NaN elsewhere"
    got, want = np.nan_to_num(got), np.nan_to_num(want)
    scale = np.linalg.norm(want)
    error = np.linalg.norm(got - want) / scale if scale else np.linalg.norm(got)
    # One in two roundings to bf16 may fall the other way.
    limit = {"bf16": 2**-7, "f16": 2**-10}.get(element, 1e-5)
    return "" if error <= limit else f"off by {error:.2g}"


def check(suite, name):
    text = optimize(read(name), "--memopt-pipeline=fence=keep approximate=true", "--memopt-form-kernels")
    aliases = "".join(line + "\n" for line in text.splitlines() if line.startswith("#"))
    kernels = kernels_of(text)
    rng = np.random.default_rng(3)
    inputs = [[random_array(rng, t, count_ids(k[1])) for _, t in k[1]] for k in kernels]
    code = Kernels()
    code.kinds = [k[0] for k in kernels]
    code.texts = [aliases] + [function(k, n) for n, k in enumerate(kernels)]
    got = code.compile(("-O1", "-march=native"), RUNTIME).run(inputs)
    want = iter(reference(kernels, aliases, inputs))
    for number, (kernel, outs) in enumerate(zip(kernels, got)):
        for i, (out, type_) in enumerate(zip(outs, kernel[2])):
            why = differs(out, next(want), split_type(type_)[1])
            suite.check(f"{name} kernel {number} ({kernel[0]}) result {i}", not why, why)


def main():
    suite = Suite()
    names = FILES
    if ALL:
        names = sorted(str(p.relative_to(INPUTS))[:-len(".mlir.zst")] for folder in ("corpus/tiny", "corpus/jax", "captured")
                       for p in (INPUTS / folder).glob("*.mlir.zst"))
    for name in names:
        try:
            check(suite, name)
        except Exception as error:  # one step must not hide the others
            suite.check(name, False, f"{type(error).__name__}: {str(error)[:500]}")
    suite.close()


if __name__ == "__main__":
    main()
