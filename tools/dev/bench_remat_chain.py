"""`./dev bench remat_chain`: recomputed matmuls of the uniform chain at each whole peak.

On this step the best plan is known: with P activations at once, the fewest matmuls of
the 32 that run twice are 35 - P, for P from 11 to 35. PyTorch's partitioner plans the
same chain where build/capture-venv is, which `./dev bench remat_pytorch` makes; --python=
names another Python that has tools/capture/requirements.txt.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import bench_pipeline
import named_plans
import remat_chain
import run_step
from bench_knapsack import table, verdict
from bench_remat import Planner, contraction_flops

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


def theirs(build, python, folder):
    """(budget, matmuls again, peak in bytes: the smaller one of both orders) of PyTorch."""
    answers = build / "remat-pytorch"
    answers.mkdir(exist_ok=True)
    file, found = named_plans.ask_pytorch(python, "uniform_chain", answers, reuse=True)
    step = named_plans.Step(build / "bin" / "mem-opt", folder, file)
    product = 2 * remat_chain.ROWS * remat_chain.WIDTH ** 2
    base = contraction_flops(file.read_text())
    for answer in found:
        peak = min(step.named(answer, order).peak for order in (False, True))
        done = step.rematerialize(step.write_names(answer)[0])
        yield answer["budget"], (contraction_flops(done.text) - base) // product, peak


def their_table(points):
    """Budgets in a row that give one plan are one row."""
    rows = []
    for budget, matmuls, peak in points:
        row = [matmuls, f"{peak / 2**20:.3f}"]
        if rows and rows[-1][1:] == row:
            rows[-1][0] = f"{rows[-1][0].split(' ')[0]} to {budget:g}"
        else:
            rows.append([f"{budget:g}", *row])
    return table(["activation_memory_budget", "matmuls again", "peak, MiB"], rows)


def plot(build, points, pytorch):
    image, python = ROOT / "docs" / "img" / "uniform_chain.svg", plot_environment(build)
    if python is None:
        return "The plot was skipped: no matplotlib."
    subprocess.run([python, HERE / "remat_chain.py", image], text=True, check=True,
                   input=json.dumps({"layers": LAYERS, "ours": points, "pytorch": pytorch}))
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


def run(build, arguments):
    given = next((a.removeprefix("--python=") for a in arguments if a.startswith("--python=")), None)
    python = pathlib.Path(given) if given else build / "capture-venv" / "bin" / "python"
    text, load = remat_chain.uniform_chain(LAYERS), os.getloadavg()[0]
    before = text.count("linalg.matmul")
    with tempfile.TemporaryDirectory() as folder:
        planner = Planner(build / "bin" / "mem-opt", pathlib.Path(folder), text)
        rows, points = measure(planner, before)
        below = planner.plan(f"peak-budget={PEAKS[0] - 1}MiB")
        pytorch = list(theirs(build, python, pathlib.Path(folder))) if python.exists() else []
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

{PEAKS[0] - 1} MiB: {note}.

PyTorch's partitioner on the same chain, its plans imported and simulated like ours (the smaller peak of both orders):

{their_table(pytorch) if pytorch else "Not in this run: no environment with PyTorch."}

{plot(build, points, [[peak / 2**20, matmuls] for _, matmuls, peak in pytorch])}
"""
