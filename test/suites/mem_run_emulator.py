#!/usr/bin/env python3
"""Real training steps as GPU code, on the emulator: every result is within tolerance of the
framework's float64, in both orders of threads, the bytes measured are the bytes planned,
and the step launches kernels and products and does nothing else. No access goes beyond a
buffer, reads what nobody wrote or what another buffer owns: else the run ends with the
kernel's name.

By default two steps in each pipeline; MEMOPT_CHECK_ALL=1 takes all that have an .npz."""
import pathlib
import tempfile

from _mem_run import mem_run
from _suite import ALL, SHARED, Suite
from mem_run_corpus import cases, sibling_cases
import run_step

PIPELINES = {"exact": ["--pipeline="], "budget": ["--pipeline=saved-budget=0.5"]}
ORDERS = ("forward", "reverse")
# A step with convolutions, grouped heads and none of them; chips of the smallest and the
# usual workspace: products that do not fit into the smaller one are done in pieces.
CHIPS = ("sm_80", "sm_90")
DEFAULT = {("vit_full", "exact", "reverse"), ("llama_lora", "exact", "forward"),
           ("gpt2_lora", "budget", "reverse")}


def check(suite, name, step, npz, rtol=None):
    tolerance = [f"--rtol={rtol}"] if rtol else []
    stem = name.split("/")[-1]
    for pipeline, options in PIPELINES.items():
        for order, chip in zip(ORDERS, CHIPS):
            if not ALL and (stem, pipeline, order) not in DEFAULT:
                continue
            label = f"{name}, {pipeline}, {order}, {chip}"
            code, found, error = mem_run(
                step, "--target=emulator", f"--thread-order={order}", f"--nvvm=chip={chip}",
                f"--inputs={npz}", f"--expect={npz}", "--no-cache", *tolerance, *options)
            if not suite.check(f"{label}: every result within tolerance", code == 0,
                               f"exit {code}: {error.strip()[-400:]}"):
                continue
            suite.check(f"{label}: planned is measured",
                        found["planned_bytes"] == found["peak_bytes"],
                        f"{found['planned_bytes']:,} planned, {found['peak_bytes']:,} measured")
            suite.check(f"{label}: the same bits again", found["repeatable"])
            suite.check(f"{label}: it only launches",
                        found["launches"] > 0 and found["products"] > 0
                        and [found[k] for k in ("allocations", "copies", "synchronisations")]
                        == [0, 0, 0], found)


def main():
    suite = Suite()
    if ALL and not (SHARED / "corpus").exists():
        suite.skip("steps whose data are in ../shared/corpus", "that folder is not there")
    with tempfile.TemporaryDirectory() as folder:
        more = sibling_cases(folder) if ALL else []
        for name, text, *arrays in [*cases(), *more]:
            step = pathlib.Path(folder) / "step.mlir"
            step.write_text(run_step.read(text))
            check(suite, name, step, *arrays)
    suite.close()


if __name__ == "__main__":
    main()
