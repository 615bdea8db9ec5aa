#!/usr/bin/env python3
"""Real training steps through mem-run: as captured (only lowered), after the exact pipeline,
with a budget, and what mem-opt wrote with one, its fences in upstream dialects. Every result is within tolerance of the framework's float64, the bytes
measured are the bytes planned, nothing is allocated during the step, and two runs give the
same bits.

A step with dropout, one in bf16 and the same in f16 have no .npz: the reference is the step as captured,
compiled by upstream MLIR alone, on a sibling's arguments or random ones. A dropout whose mask differed between
forward and backward, or from the reference's, would be far off.

By default the steps under test/Inputs that have an .npz; MEMOPT_CHECK_ALL=1 takes all those
of ../shared/corpus too."""
import pathlib
import tempfile

import numpy as np

from _mem_run import mem_run
from _suite import ALL, INPUTS, SHARED, Suite
import run_step

WRITTEN = "memopt-pipeline{saved-budget=0.3}"
PIPELINES = {"captured": [], "exact": ["--pipeline="], "budget": ["--pipeline=saved-budget=0.5"]}
# Steps without results of their own: whose arguments they take, and how far a result may be
# from upstream's, relative to its norm. One rounding to bf16 is up to 2^-9 of a value (f16: 2^-12),
# and each result stands behind several.
SIBLINGS = {"vit_full_drop": ("vit_full", 1e-5), "llama_full_bf16": (None, 2e-2), "llama_full_f16": (None, 2e-3)}


def cases():
    """(name, path of the step, path of its arrays)"""
    for folder in (INPUTS / "corpus" / "tiny", INPUTS / "captured", INPUTS / "shifts", INPUTS / "corpus" / "jax"):
        for step in sorted(folder.glob("*.mlir.zst")):
            stem = step.name.removesuffix(".mlir.zst")
            npz = [p for p in (folder / f"{stem}.npz", SHARED / "corpus" / folder.name / f"{stem}.npz")
                   if p.exists()]
            if npz and (npz[0].parent == folder or ALL):
                yield f"{folder.name}/{stem}", step, npz[0]


def read_sibling(stem):
    """The text of a step; that in f16 is the one in bf16, with f16's least number as the mask."""
    text = run_step.read(INPUTS / "corpus" / "tiny" / f"{stem.replace('_f16', '_bf16')}.mlir.zst")
    return text.replace("bf16", "f16").replace("-3.389530e+38", "-6.550400e+04") if "_f16" in stem else text


def sibling_cases(folder):
    """(name, text of the step, path of its arrays, tolerance); writes the arrays to `folder`."""
    tiny = INPUTS / "corpus" / "tiny"
    for stem, (sibling, rtol) in SIBLINGS.items():
        step = read_sibling(stem)
        compiled = run_step.compile_step(step)
        arrays = dict(np.load(tiny / f"{sibling}.npz")) if sibling else run_step.random_arguments(compiled)
        arguments = run_step.arguments_of(arrays, compiled)
        results = run_step.run(compiled, arguments)
        npz = pathlib.Path(folder) / f"{stem}.npz"
        np.savez(npz, **{f"arg{i}": array for i, array in enumerate(arguments)},
                 **{f"res{i}": array for i, array in enumerate(results)})
        yield f"tiny/{stem}", step, npz, rtol


def check(suite, name, step, npz, rtol=None):
    tolerance = [f"--rtol={rtol}"] if rtol else []
    written = step.with_name("written.mlir")
    written.write_text(run_step.optimize(step, WRITTEN))
    runs = [*((name, step, options) for name, options in PIPELINES.items()), ("written", written, [])]
    for pipeline, path, options in runs:
        label = f"{name}, {pipeline}"
        code, found, error = mem_run(path, f"--inputs={npz}", f"--expect={npz}", "--no-cache", *tolerance,
                                     *options)
        if not suite.check(f"{label}: every result within tolerance", code == 0,
                           f"exit {code}: {error.strip()[-400:]}"):
            continue
        suite.check(f"{label}: planned is measured", found["planned_bytes"] == found["peak_bytes"],
                    f"{found['planned_bytes']:,} planned, {found['peak_bytes']:,} measured, "
                    f"{found['allocations']} allocations")
        suite.check(f"{label}: the same bits again", found["repeatable"])


def main():
    suite = Suite()
    if ALL and not (SHARED / "corpus").exists():
        suite.skip("steps whose data are in ../shared/corpus", "that folder is not there")
    with tempfile.TemporaryDirectory() as folder:
        for name, compressed, *arrays in [*cases(), *sibling_cases(folder)]:
            step = pathlib.Path(folder) / "step.mlir"
            step.write_text(run_step.read(compressed))
            check(suite, name, step, *arrays)
    suite.close()


if __name__ == "__main__":
    main()
