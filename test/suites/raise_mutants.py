#!/usr/bin/env python3
"""memopt-raise recognises values, not looks: a step in which one op or constant of a
recognised region is changed is still computed as it is written.

A mutant is a captured step with one scalar op or one constant changed. Raised and
lowered again it must give what the mutant itself gives, to rounding: the changed
function is either not raised, or the change did not change its values. Mutants of which
as many ops are raised as of the step itself are executed both ways, and two others.

By default a sample; MEMOPT_CHECK_ALL=1 takes every mutant of every step below."""
import concurrent.futures
import random
import re

import numpy as np

from _raised import count, top_level
from _suite import ALL, BUILD, INPUTS, Suite, command
import compare_results
import run_step

STEPS = ["corpus/tiny/vit_full", "captured/flax_decoder", "corpus/tiny/gpt2_lora",
         "corpus/tiny/llama_lora", "captured/clip_vision", "captured/qwen3"]
SAMPLE, EXECUTED = 25, 2
SWAPS = {"arith.addf": "arith.subf", "arith.subf": "arith.addf", "arith.mulf": "arith.addf",
         "arith.divf": "arith.mulf", "arith.maximumf": "arith.minimumf", "math.rsqrt": "math.sqrt",
         "math.sqrt": "math.rsqrt", "arith.negf": "math.absf", "math.tanh": "math.erf",
         "math.erf": "math.tanh", "math.exp": "math.exp2", "math.erfc": "math.erf"}


def raise_text(text):
    code, out, errors = command([BUILD / "bin" / "mem-opt", "--memopt-raise", "-"], input=text)
    if code:
        raise run_step.StepError(errors[:2000])
    return out


def region_lines(text):
    """The lines of `text` (from 0) whose ops are raised: those that are no longer
    in the function itself."""
    code, out, errors = command([BUILD / "bin" / "mem-opt", "--memopt-raise", "-",
                                 "--mlir-print-debuginfo", "--mlir-print-local-scope"], input=text)
    if code:
        raise run_step.StepError(errors[:2000])
    kept = set()
    for line in top_level(out):
        kept.update(int(n) - 1 for n in re.findall(r'loc\("[^"]*":(\d+):\d+\)', line))
    scalar = re.compile(r"\s*%\S+ = (?:arith|math)\.\w+ .* : (?:f64|f32|bf16)$")
    return [i for i, line in enumerate(text.splitlines()) if i not in kept and scalar.match(line)]


def mutants(text):
    """(line, new line) for every mutation of a raised op or of a constant it reads."""
    lines = text.splitlines()
    region = region_lines(text)
    used = set(re.findall(r"%cst\w*", "\n".join(lines[i] for i in region)))
    for i in region:
        match = re.match(r"\s*%\S+ = (\S+) ", lines[i])
        if match and match[1] in SWAPS:
            yield i, lines[i].replace(match[1], SWAPS[match[1]], 1)
    constant = re.compile(r"(\s*(%cst\w*) = arith\.constant )(-?\d\.\d+(?:[eE][+-]?\d+)?)( : f(?:32|64))")
    for i, line in enumerate(lines):
        match = constant.fullmatch(line)
        if match and match[2] in used and float(match[3]):
            yield i, f"{match[1]}{float(match[3]) * 1.001:.9e}{match[4]}"


def apply(text, mutant):
    lines = text.splitlines()
    lines[mutant[0]] = mutant[1]
    return "\n".join(lines) + "\n"


def execute(suite, name, text, arrays):
    """The mutant against the mutant raised and lowered: every result, and the bits of
    the first, which a raised forward keeps."""
    plain = run_step.compile_step(text, build=BUILD)
    raised = run_step.compile_step(
        run_step.optimize(text, "func.func(memopt-raise),memopt-to-linalg", BUILD), build=BUILD)
    arguments = run_step.arguments_of(arrays, plain)
    with np.errstate(all="ignore"):
        expected, found = run_step.run(plain, arguments), run_step.run(raised, arguments)
        worst = distance(found, expected)
    suite.check(f"{name}: the forward's bits", compare_results.same_bits(found[0], expected[0]))
    suite.check(f"{name}: computes what it says", worst <= 1e-4, f"off by {worst:.1e}")


def distance(found, expected):
    """The largest |found - expected| / |expected| of all results. Some gradients are
    zero but for rounding, as of a key's bias before a softmax: no result counts as
    smaller than 1e-4 of the largest. What the mutant makes infinite is left out."""
    pairs = [(a.astype(np.float64).ravel(), b.astype(np.float64).ravel())
             for a, b in zip(found, expected) if np.isfinite(b).all()]
    norms = [np.linalg.norm(b) for _, b in pairs]
    floor = 1e-4 * max(norms, default=0) + 1e-30
    return max((np.linalg.norm(a - b) / max(norm, floor) for (a, b), norm in zip(pairs, norms)),
               default=0.0)


def check_step(suite, path, chosen, executed):
    """Raises `chosen` mutants (None: all) and executes those with as many ops as the
    step, at most `executed` (None: all of them and two more)."""
    text = run_step.read(INPUTS / f"{path}.mlir.zst")
    base = count(raise_text(text))
    every = list(mutants(text))
    sample = every if chosen is None else random.Random(1).sample(every, min(chosen, len(every)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(lambda m: count(raise_text(apply(text, m))), sample))
    same = [m for m, c in zip(sample, counts) if c == base]
    changed = [m for m, c in zip(sample, counts) if c != base]
    print(f"{path}: {len(sample)} of {len(every)} mutants, {len(same)} with all ops raised", flush=True)
    suite.check(f"{path}: mutants", bool(changed))
    with np.load(INPUTS / f"{path}.npz") as npz:
        arrays = dict(npz)
    for mutant in (same + changed)[:executed or len(same) + 2]:
        execute(suite, f"{path}:{mutant[0] + 1} {mutant[1].strip()}", apply(text, mutant), arrays)


def main():
    suite = Suite()
    for path in STEPS if ALL else STEPS[:2]:
        try:
            check_step(suite, path, None if ALL else SAMPLE, None if ALL else EXECUTED)
        except run_step.StepError as error:
            suite.check(path, False, str(error))
    suite.close()


if __name__ == "__main__":
    main()
