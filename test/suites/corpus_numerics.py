#!/usr/bin/env python3
"""Real training steps, executed: memopt-pipeline keeps the loss to the bit and the
gradients to the framework's own precision.

For each step four programs are compiled by upstream MLIR alone: the step as it was
captured, after memopt-pipeline, after memopt-pipeline{approximate=true}, and the last
with each activation gradient written as a comparison with its input, without codes.
Checked are
  - as captured: every result within tolerance of the framework's (compare_results);
  - memopt-pipeline: the same, and the loss has the bits of the captured step's;
  - with half the saved bytes as budget (long run only): the same again;
  - approximate: the loss has those bits too, and every gradient is the unpacked step's.
A step without an .npz (bf16, dropout) is compared with itself as captured, on the
arguments of a sibling or on random ones.

By default the steps under test/Inputs that have an .npz; MEMOPT_CHECK_ALL=1 takes
all others there too, and those of ../shared/corpus."""
import concurrent.futures
import typing

import numpy as np

from _suite import ALL, BUILD, INPUTS, SHARED, Suite
import compare_results
import run_step
import unpacked

# Steps without data of their own: whose arguments they take, and how far a result
# may be from the captured step's, relative to its norm.
SIBLINGS = {"llama_full_bf16": ("llama_full", 2e-2), "vit_full_drop": ("vit_full", 1e-5)}
PIPELINES = {"captured": None, "exact": "memopt-pipeline",
             "approximate": "memopt-pipeline{approximate=true}"}
if ALL:
    PIPELINES["budget"] = "memopt-pipeline{saved-budget=0.5}"
# The stages of the approximate pipeline up to its codes.
CODES = "func.func(memopt-raise),memopt-approximate-activation-grad"


class Case(typing.NamedTuple):
    name: str
    text: str
    npz: object       # path of the arguments; None for random ones
    reference: bool   # the .npz has this step's own results
    relative: float


def find_npz(folder, stem):
    """The .npz of `stem` beside the step, or in the shared corpus."""
    for place in (folder, SHARED / "corpus" / folder.name):
        if (place / f"{stem}.npz").exists():
            return place / f"{stem}.npz"
    return None


def cases(suite):
    for folder in (INPUTS / "corpus" / "tiny", INPUTS / "corpus" / "jax", INPUTS / "captured"):
        for step in sorted(folder.glob("*.mlir.zst")):
            stem = step.name.removesuffix(".mlir.zst")
            own = (folder / f"{stem}.npz").exists()
            if not (own or ALL):
                continue
            sibling, relative = SIBLINGS.get(stem, (stem, compare_results.RELATIVE))
            npz = find_npz(folder, sibling)
            if npz is None and sibling != stem:
                suite.skip(stem, "its arguments are in ../shared/corpus, which is not there")
                continue
            yield Case(f"{folder.name}/{stem}", run_step.read(step), npz,
                       npz is not None and sibling == stem, relative)


def compile_case(case):
    """The four programs of a case, or the error that stopped one of them."""
    try:
        texts = {name: run_step.optimize(case.text, pipeline, BUILD) if pipeline else case.text
                 for name, pipeline in PIPELINES.items()}
        unpacked_text, count = unpacked.unpack(run_step.optimize(case.text, CODES, BUILD))
        # torch-mlir's wrong tanh-GELU is no activation that is known.
        if not count and not case.name.endswith("rawgelu"):
            return run_step.StepError("no activation gradient reads a code")
        texts["unpacked"] = run_step.optimize(unpacked_text, "memopt-to-linalg", BUILD)
        return {name: run_step.compile_step(text, build=BUILD) for name, text in texts.items()}
    except run_step.StepError as error:
        return error


def within(suite, name, results, references, relative):
    """Every result within tolerance; the worst is named where one is not."""
    checks = compare_results.compare(results, references, relative)
    wrong = [c for c in checks if not c.ok]
    suite.check(f"{name}: {len(checks)} results within tolerance", checks and not wrong,
                f"{len(wrong)} are not, as {wrong[0] if wrong else 'none was compared'}")


def check_case(suite, case, programs):
    if isinstance(programs, run_step.StepError):
        suite.check(case.name, False, str(programs))
        return
    base = programs["captured"]
    if case.npz:
        with np.load(case.npz) as npz:
            arrays = dict(npz)
    else:
        arrays = run_step.random_arguments(base)
    arguments = run_step.arguments_of(arrays, base)
    results = {name: run_step.run(program, arguments) for name, program in programs.items()}
    captured, approximate, plain = (results[name] for name in ("captured", "approximate", "unpacked"))
    if not case.reference:
        arrays = {f"res{i}": value for i, value in enumerate(captured)}
    within(suite, f"{case.name} as captured", captured, arrays, case.relative)
    for name in [n for n in PIPELINES if n not in ("captured", "approximate")]:
        within(suite, f"{case.name} {name}", results[name], arrays, case.relative)
    for name in [n for n in PIPELINES if n != "captured"]:
        suite.check(f"{case.name} {name}: the loss has the captured step's bits",
                    compare_results.same_bits(results[name][0], captured[0]),
                    f"{results[name][0]!r}, not {captured[0]!r}")
    within(suite, f"{case.name} approximate, against the unpacked step", approximate,
           {f"res{i}": value for i, value in enumerate(plain)}, case.relative)


def main():
    suite = Suite()
    if ALL and not (SHARED / "corpus").exists():
        suite.skip("steps whose data are in ../shared/corpus", "that folder is not there")
    found = list(cases(suite))
    # Compiling is most of the time and runs in other processes; the steps run one by one.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, programs in zip(found, pool.map(compile_case, found)):
            try:
                check_case(suite, case, programs)
            except run_step.StepError as error:
                suite.check(case.name, False, str(error))
    suite.close()


if __name__ == "__main__":
    main()
