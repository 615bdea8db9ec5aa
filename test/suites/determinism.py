#!/usr/bin/env python3
"""The same step and options give the same bytes: 50 runs of memopt-pipeline under each
kind of budget, with MLIR's threads and without, printing the step and its report.

Addresses differ from run to run, so that an order that comes from pointers shows. With
--all also a step of 12 layers at its real size, and one of 32.
"""
import concurrent.futures
import os
import pathlib
import tempfile

from _suite import ALL, BUILD, INPUTS, Suite, command
import run_step

RUNS = 50
GOALS = ["approximate=true saved-budget=0.4", "max-overhead=1%", "peak-budget=600000"]
STEPS = {"tiny/vit_full": (GOALS[:1], RUNS), "tiny/vit_lora": (GOALS, 8)}
LONG = {"tiny/vit_full": (GOALS, RUNS), "tiny/llama_full_bf16": (GOALS[:2], RUNS),
        "real/vit_full_b64": (["approximate=true saved-budget=0.4", "peak-budget=5GB"], RUNS),
        "real/llama_lora_bf16_b1_t512": (["approximate=true saved-budget=0.5"], 6)}


def optimize(step, goal, threads):
    """(exit code, step and report, errors) of one run."""
    pipeline = (f"--pass-pipeline=builtin.module(memopt-pipeline{{{goal} report-before=- "
                "report-after=- report-format=json})")
    return command([BUILD / "bin" / "mem-opt", step, pipeline,
                    *([] if threads else ["--mlir-disable-threading"])])


def check_runs(suite, label, step, goal, runs):
    code, first, error = optimize(step, goal, True)
    if not suite.check(f"{label} runs", code == 0 and len(first) > 1000, error[:300]):
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda i: optimize(step, goal, i % 2 == 1), range(1, runs))
        differ = [i for i, (code, text, _) in enumerate(found, 1) if code or text != first]
    suite.check(f"{label}: {runs} runs give the same bytes", not differ, f"not runs {differ}")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as name:
        step = pathlib.Path(name) / "step.mlir"
        for path, (goals, runs) in {**STEPS, **(LONG if ALL else {})}.items():
            step.write_text(run_step.read(INPUTS / "corpus" / f"{path}.mlir.zst"))
            for goal in goals:
                check_runs(suite, f"{path} {goal}", step, goal, runs)
    suite.close()


if __name__ == "__main__":
    main()
