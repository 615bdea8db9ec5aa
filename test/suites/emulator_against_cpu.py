#!/usr/bin/env python3
"""Every committed step and case that the CPU runs, run by the emulator in both orders of threads: each result
is the CPU's to the rounding of the narrowest type in between, two runs give the same bits, and the step
launches kernels and products and does nothing else. What the CPU refuses, the emulator's target refuses too.

By default the small cases and two steps; MEMOPT_CHECK_ALL=1 takes all steps, and those of ../shared, in each pipeline."""
import pathlib
import re
import tempfile

from _mem_run import mem_run
from _suite import ALL, INPUTS, ROOT, SHARED, Suite
import run_step

CASES = ROOT / "test" / "cases"
PIPELINES = {"captured": None, "exact": "", "approximate": "approximate=true", "budget": "saved-budget=0.5",
             "both": "approximate=true saved-budget=0.3"}
# One rounding to bf16 is up to 2^-9 of a value (f16: 2^-12), and each result stands behind several.
ROUNDING = {"bf16": 2e-2, "f16": 2e-3, "f32": 1e-5, "f64": 1e-13}
# Dimensions that have no size of their own.
SIZES = {"cases/dynamic": "--sizes=0:1=24", "shared/dynamic": "--sizes=0:0=24,1:0=24"}
PIPELINE_OPTIONS = {"empty-scalar": "forward-results=0,1", "empty_scalar": "forward-results=0,1"}
# Recomputing what these keep is planned for minutes, and changes no kernel.
LONG = {"uniform_chain32", "equal_items1024"}
DEFAULT = {"corpus/tiny/gemma_full.rawgelu": "both", "captured/gpt_neox": "approximate",
           "shifts/state_space": "exact"}
# Cases that no target runs: a budget that cannot be kept, a function without a body, buffers, no step at all.
REFUSED = {"buffers-errors", "huge", "random", "gelu", "gelu_erf_tanh", "mutation", "rng", "tail"}


def rounding(text):
    return next(limit for element, limit in ROUNDING.items() if re.search(rf"\b{element}\b|x{element}>", text))


def steps():
    """(name, text, path of its arrays or None) of the captured steps."""
    for folder in ("corpus/tiny", "corpus/jax", "captured", "shifts", "fidelity"):
        for path in sorted((INPUTS / folder).glob("*.mlir.zst")):
            stem = path.name.removesuffix(".mlir.zst")
            arrays = [p for p in (path.with_name(f"{stem}.npz"), SHARED / folder / f"{stem}.npz") if p.exists()]
            if ALL or f"{folder}/{stem}" in DEFAULT:
                yield f"{folder}/{stem}", run_step.read(path), arrays[0] if arrays else None


def cases():
    """(name, folder, text, function or None where there is one only) of the small inputs."""
    for folder in (CASES, *([SHARED / "cases"] if ALL else [])):
        for path in sorted(folder.glob("*.mlir")):
            names = re.findall(r"^ *func\.func (?:public )?@(\w+)\(", path.read_text(), re.M)
            for name in names if len(names) > 1 else [None]:
                yield path.stem, "cases" if folder == CASES else "shared", path.read_text(), name


class Comparison:
    def __init__(self, suite, folder):
        self.suite, self.folder, self.compared = suite, pathlib.Path(folder), 0
        self.step, self.arrays = self.folder / "step.mlir", self.folder / "cpu.npz"

    def run(self, label, text, pipeline, options, refused=False):
        """Compares one step in one pipeline (None: as captured)."""
        self.step.write_text(text)
        options = ["--no-cache", *options, *([] if pipeline is None else [f"--pipeline={pipeline}"])]
        code, _, error = mem_run(self.step, f"--save={self.arrays}", *options)
        if refused:
            self.suite.check(f"{label}: refused", code == 1 and "mem-run: " in error, f"exit {code}: {error[-400:]}")
            code, _, error = mem_run(self.step, "--target=emulator", *options)
            self.suite.check(f"{label}: refused for the emulator", code == 1 and "mem-run: " in error,
                             f"exit {code}: {error[-400:]}")
        elif self.suite.check(f"{label}: runs on the CPU", code == 0, f"exit {code}: {error.strip()[-400:]}"):
            for order, chip in (("forward", "sm_80"), ("reverse", "sm_90")):
                self.emulate(f"{label}, {order}, {chip}", order, chip, rounding(text), options)

    def emulate(self, label, order, chip, rtol, options):
        code, found, error = mem_run(self.step, "--target=emulator", f"--thread-order={order}", f"--nvvm=chip={chip}",
                                     f"--expect={self.arrays}", f"--rtol={rtol}", *options)
        self.compared += 1
        if not self.suite.check(f"{label}: as on the CPU", code == 0, f"exit {code}: {error.strip()[-400:]}"):
            return
        # The workspace of a step without products may be larger than what it writes there.
        planned, peak = found["planned_bytes"], found["peak_bytes"]
        self.suite.check(f"{label}: measured as planned", peak == planned if found["products"] else peak <= planned,
                         f"{planned:,} planned, {peak:,} measured")
        self.suite.check(f"{label}: the same bits again", found["repeatable"])
        self.suite.check(f"{label}: it only launches", [found[k] for k in ("allocations", "copies", "synchronisations")]
                         == [0, 0, 0], found)


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(suite, folder)
        random = ["--seed=3", "--int-range=0..3"]
        for stem, place, text, function in cases():
            sizes = SIZES.get(f"{place}/{stem}")
            more = f"{PIPELINE_OPTIONS.get(stem, '')} {f'function={function}' if function else ''}".strip()
            for name, pipeline in PIPELINES.items():
                # A function is named to the pipeline; a budget needs more than one size.
                if (pipeline is None and function) or (name != "exact" and not ALL) or \
                        ("budget" in (pipeline or "") and (sizes or stem in LONG)):
                    continue
                options = random + ([sizes] if sizes else [])
                comparison.run(f"{place}/{stem} {function or ''}, {name}", text,
                               None if pipeline is None else f"{pipeline} {more}".strip(), options, stem in REFUSED)
        for label, text, arrays in steps():
            for name, pipeline in PIPELINES.items():
                if ALL or DEFAULT[label] == name:
                    comparison.run(f"{label}, {name}", text, pipeline, [f"--inputs={arrays}"] if arrays else random)
        print(f"{comparison.compared} runs of the emulator compared with the CPU")
    suite.close()


if __name__ == "__main__":
    main()
