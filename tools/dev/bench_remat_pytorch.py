"""`./dev bench remat_pytorch`: contractions run again, PyTorch's partitioner and ours,
at the bytes that PyTorch keeps.

    --python=PATH    a Python that has tools/capture/requirements.txt, in place of the
                     bench's own environment build/capture-venv, which is made from PyPI
    STEP...          only these files of test/Inputs/corpus/real

The models are captured anew for PyTorch; ours are the steps that are in the repository.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import bench_pipeline
import run_step
from bench_knapsack import table
from bench_remat import Planner, contraction_flops, name_of

HERE, ROOT = run_step.ROOT / "tools" / "dev", run_step.ROOT
BUDGETS = ["0.25", "0.5", "0.75", "1.0"]
TOLERANCE = 1.001  # more contraction FLOPs than PyTorch's, at most


def environment(build):
    """The Python with PyTorch, or None and why not."""
    venv = build / "capture-venv"
    python = venv / "bin" / "python"
    probe = [python, "-c", "import torch, transformers, peft"]
    if not python.exists() or subprocess.run(probe, capture_output=True).returncode:
        print("   making build/capture-venv (torch is large)", flush=True)
        if subprocess.run([sys.executable, "-m", "venv", venv]).returncode or subprocess.run(
                [python, "-m", "pip", "install", "-q", "-r", ROOT / "tools/capture/requirements.txt"]).returncode:
            return None, "the virtual environment could not be made"
    probed = subprocess.run(probe, capture_output=True, text=True)
    return (None, probed.stderr.strip()) if probed.returncode else (python, "")


def ask_pytorch(python, name):
    """One answer a budget, see remat_torch.py."""
    out = subprocess.run([python, HERE / "remat_torch.py", name, *BUDGETS], capture_output=True, text=True)
    answers = [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]
    if out.returncode or len(answers) != len(BUDGETS):
        print(out.stderr[-2000:], file=sys.stderr)
        raise SystemExit(f"bench: remat_torch.py failed on {name}")
    return answers


def row_of(name, theirs, planner, base):
    ours = planner.plan(f"saved-budget={theirs['bytes']}")
    row = [name, theirs["budget"], f"{theirs['bytes']:,}", f"{theirs['flops'] / 1e9:,.1f}",
           f"{theirs['cpu_seconds']:.1f} s"]
    if ours.error:
        return [*row, "refused", "", "", "**no**"]
    again = contraction_flops(ours.text) - contraction_flops(base.text)
    never_more = "yes" if again <= TOLERANCE * theirs["flops"] else "**no**"
    return [*row, f"{ours.report['saved_bytes']:,}", f"{again / 1e9:,.1f}", f"{ours.cpu:.1f} s", never_more]


def rows_of(program, folder, python, path):
    name, rows = name_of(path), []
    planner = Planner(program, folder, run_step.read(path))
    base, answers = planner.plan(""), ask_pytorch(python, name)
    for theirs in answers:
        rows.append(row_of(name, theirs, planner, base))
        print(rows[-1], flush=True)
    return rows, answers[0]["versions"]


def run(build, arguments):
    given = next((a.removeprefix("--python=") for a in arguments if a.startswith("--python=")), None)
    chosen = [a for a in arguments if not a.startswith("--")]
    python, why = (pathlib.Path(given), "") if given else environment(build)
    heading = "## remat_pytorch: contractions that run again, beside PyTorch"
    if python is None:
        print(f"   SKIP: {why}", flush=True)
        return f"{heading}\n\nSkipped: {why}."
    load, rows = os.getloadavg()[0], []
    with tempfile.TemporaryDirectory() as folder:
        for path in bench_pipeline.REAL:
            if not chosen or name_of(path) in chosen:
                found, versions = rows_of(build / "bin" / "mem-opt", pathlib.Path(folder), python, path)
                rows += found
    head = ["step", "activation_memory_budget", "PyTorch keeps, bytes", "contraction GFLOP again",
            "its partitioner, CPU", "ours keeps, bytes", "contraction GFLOP again", "whole mem-opt, CPU",
            "never more"]
    return f"""{heading}

`./dev bench remat_pytorch` on {bench_pipeline.machine()}, load {load:.1f} at the start, niceness {os.nice(0)};
{versions}. PyTorch partitions the joint graph that torch.compile would (inductor's decompositions, eager
attention, its defaults beside the budget); its bytes are the storages it keeps for the backward, arguments
apart. Ours is memopt-pipeline on the committed step with `saved-budget` those bytes, `device=h200`, no
approximate codes; it minimises the modelled time, not FLOPs. FLOPs are those of the matrix products after,
less those before. The two graphs are of one model with the same sizes, captured by different decompositions;
never more means within {100 * (TOLERANCE - 1):.1f} %. Not compared here: the roofline, and equal real peak.

{table(head, rows)}
"""
