#!/usr/bin/env python3
"""Real training steps through mem-run: as captured (only lowered), after the exact pipeline,
and with a budget. Every result is within tolerance of the framework's float64, the bytes
measured are the bytes planned, nothing is allocated during the step, and two runs give the
same bits.

By default the steps under test/Inputs that have an .npz; MEMOPT_CHECK_ALL=1 takes all those
of ../shared/corpus too."""
import pathlib
import tempfile

from _mem_run import mem_run
from _suite import ALL, INPUTS, SHARED, Suite
import run_step

PIPELINES = {"captured": [], "exact": ["--pipeline="], "budget": ["--pipeline=saved-budget=0.5"]}


def cases():
    """(name, path of the step, path of its arrays)"""
    seen = set()
    for folder in (INPUTS / "corpus" / "tiny", INPUTS / "captured", INPUTS / "corpus" / "jax"):
        for step in sorted(folder.glob("*.mlir.zst")):
            stem = step.name.removesuffix(".mlir.zst")
            npz = [p for p in (folder / f"{stem}.npz", SHARED / "corpus" / folder.name / f"{stem}.npz")
                   if p.exists()]
            if npz and (npz[0].parent == folder or ALL):
                seen.add(stem)
                yield f"{folder.name}/{stem}", step, npz[0]


def check(suite, name, step, npz):
    for pipeline, options in PIPELINES.items():
        label = f"{name}, {pipeline}"
        code, found, error = mem_run(step, f"--inputs={npz}", f"--expect={npz}", "--no-cache", *options)
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
        for name, compressed, npz in cases():
            step = pathlib.Path(folder) / "step.mlir"
            step.write_text(run_step.read(compressed))
            check(suite, name, step, npz)
    suite.close()


if __name__ == "__main__":
    main()
