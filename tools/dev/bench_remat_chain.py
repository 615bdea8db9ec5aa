"""`./dev bench remat_chain`: recomputed matmuls of the uniform chain at each whole peak.

On this step the best plan is known: with P activations at once, the fewest matmuls of
the 32 that run twice are 35 - P, for P from 11 to 35.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import bench_pipeline
import remat_chain
import run_step
from bench_knapsack import table, verdict
from bench_remat import Planner

HERE, ROOT = run_step.ROOT / "tools" / "dev", run_step.ROOT
LAYERS = 32
PEAKS = range(11, LAYERS + 4)


def plot_environment(build):
    """A Python with matplotlib, or None."""
    venv = build / "plot-venv"
    python = venv / "bin" / "python"
    if not python.exists() and subprocess.run([sys.executable, "-m", "venv", venv]).returncode:
        return None
    subprocess.run([python, "-m", "pip", "install", "-q", "matplotlib"])
    return python if subprocess.run([python, "-c", "import matplotlib"]).returncode == 0 else None


def plot(build, points):
    image, python = ROOT / "docs" / "img" / "uniform_chain.svg", plot_environment(build)
    if python is None:
        return "The plot was skipped: no matplotlib."
    subprocess.run([python, HERE / "remat_chain.py", image], text=True, check=True,
                   input=json.dumps({"layers": LAYERS, "ours": points}))
    return "![Matmuls that run twice against the peak](img/uniform_chain.svg)"


def measure(planner, before):
    rows, points = [], []
    for peak in PEAKS:
        planned = planner.plan(f"peak-budget={peak}MiB")
        fewest = LAYERS + 3 - peak
        if planned.error:
            rows.append([peak, "refused", fewest, "", "", "**no**"])
            continue
        again = planned.text.count("linalg.matmul") - before
        points.append([peak, again])
        overhead = planned.report["recompute_seconds"] / planned.report["step_seconds"]
        rows.append([peak, again, fewest, f"{planned.report['planned_peak_bytes'] / 2**20:.3f}",
                     f"{100 * overhead:.1f} %", verdict(again <= fewest)])
    return rows, points


def run(build, _):
    text, load = remat_chain.uniform_chain(LAYERS), os.getloadavg()[0]
    before = text.count("linalg.matmul")
    with tempfile.TemporaryDirectory() as folder:
        planner = Planner(build / "bin" / "mem-opt", pathlib.Path(folder), text)
        rows, points = measure(planner, before)
        below = planner.plan(f"peak-budget={PEAKS[0] - 1}MiB")
    if below.error:
        smallest = int(re.search(r"smallest feasible budget: (\d+)", below.error)[1])
        note = f"refused; the smallest peak that a plan reaches is {smallest:,} bytes"
    else:
        note = f"{below.text.count('linalg.matmul') - before} matmuls run again"
    head = ["peak-budget, MiB", "matmuls again", "fewest", "planned peak, MiB", "overhead", "optimal"]
    return f"""## remat_chain: the uniform chain

`./dev bench remat_chain` on {bench_pipeline.machine()}, load {load:.1f}: {LAYERS} x (matmul + erf-GELU), forward and
backward with weight gradients, `device=h200`; an activation is 1 MiB. The fewest matmuls for a peak of P MiB are
{LAYERS + 3} - P where nothing runs more than twice. Matmuls are counted in the step that leaves.

{table(head, rows)}

{PEAKS[0] - 1} MiB: {note}. PyTorch's points are not in this run.

{plot(build, points)}
"""
