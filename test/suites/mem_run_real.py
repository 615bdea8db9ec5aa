#!/usr/bin/env python3
"""Steps of real sizes through mem-run, on random arguments.

12-layer models are compiled within the time allowed, and taken from the cache the second time.
With MEMOPT_CHECK_ALL=1 a step with an arena of more than a gigabyte runs too, so that the process's
own growth says whether the bytes are right: what the step writes is what was planned, and the
resident set grows by that, give or take 2 % and 8 MB."""
import pathlib
import tempfile

from _mem_run import mem_run
from _suite import ALL, INPUTS, Suite
import run_step

COMPILE_SECONDS = 20
TWELVE_LAYERS = ("vit_full_b64", "roberta_full_b32_t128", "gpt2_full_b8_t1024")
# A step, and options of memopt-pipeline; None: as captured.
LARGE = (("named/vit_lora_l3", None), ("named/vit_lora_l3", "approximate=true peak-budget=1500MB"))


def check_compile_time(suite, name, step, folder):
    times = []
    for run in ("first", "second"):
        code, found, error = mem_run(step, "--compile-only", f"--cache-dir={folder}/cache")
        if not suite.check(f"{name}: compiles, {run} time", code == 0, error.strip()[-400:]):
            return
        times.append(found["compile_seconds"])
        suite.check(f"{name}: is in the cache the second time", found["cached"] == (run == "second"))
    suite.check(f"{name}: within {COMPILE_SECONDS} s", times[0] <= COMPILE_SECONDS, f"{times[0]:.1f} s")
    print(f"{name}: compiled in {times[0]:.2f} s, again in {times[1]:.3f} s")


def check_resident(suite, name, step, pipeline):
    label = name if pipeline is None else f"{name} {pipeline}"
    options = [] if pipeline is None else [f"--pipeline={pipeline}"]
    code, found, error = mem_run(step, "--no-cache", "--int-range=0..9", *options)
    if not suite.check(f"{label}: runs", code == 0, error.strip()[-400:]):
        return
    planned, grown = found["planned_bytes"], found["resident_bytes"]
    suite.check(f"{label}: planned is measured", planned == found["peak_bytes"],
                f"{planned:,} planned, {found['peak_bytes']:,} measured")
    suite.check(f"{label}: the arena is of a size that tells", planned >= 500_000_000, f"{planned:,}")
    if grown is None:
        suite.skip(f"{label}: resident growth", "the kernel does not say")
        return
    suite.check(f"{label}: the resident set grows by that and no more", planned * 0.98 - 8e6 <= grown
                <= planned * 1.02 + 8e6, f"{planned:,} planned, {grown:,} resident")
    print(f"{label}: {planned:,} planned, {grown:,} resident")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as folder:
        step = pathlib.Path(folder) / "step.mlir"
        for name in TWELVE_LAYERS:
            step.write_text(run_step.read(INPUTS / "corpus" / "real" / f"{name}.mlir.zst"))
            check_compile_time(suite, name, step, folder)
        for name, pipeline in LARGE if ALL else ():
            step.write_text(run_step.read(INPUTS / f"{name}.mlir.zst"))
            check_resident(suite, name, step, pipeline)
    suite.close()


if __name__ == "__main__":
    main()
