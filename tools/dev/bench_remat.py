"""`./dev bench remat`: how near the bound the plans are, and how fast they are made.

Plans for saved bytes are compared with the certified bound of the report. What PyTorch
does at the same bytes is `./dev bench remat_pytorch`; a step whose best plans are known
is `./dev bench remat_chain`.
"""
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import typing

import bench_pipeline
import run_step
from bench_knapsack import table, verdict

SHARES = [0.10 + k / 15 for k in range(10)]
# Promised: the geometric mean of cost over bound; each; or the excess as a share of the step.
MEAN, EACH, EXCESS = 1.02, 1.05, 0.003
# Promised CPU seconds on the files of 32, 12 and 128 layers, and bytes.
SECONDS = {"llama_lora_bf16_b1_t2048": 3.0, "llama_lora_bf16_b1_t512": 3.0}
SECONDS_OF_12, SECONDS_OF_128, BYTES = 1.0, 20.0, 1 << 30
GROWTH_SHARE = 0.3
# Of the step: a byte below the first vertices costs a few picoseconds, over a bound of one.
NEGLIGIBLE = 1e-5
# What PyTorch's min-cut keeps by default, measured by `./dev bench remat_pytorch`; and of that
# (step, share, allowed overhead, may a contraction run again) with both rewrites.
MIN_CUT = {"vit_lora_b64": 6_050_886_148, "vit_full_b64": 8_907_652_100}
SHARES_OF_MIN_CUT = [("vit_lora_b64", 0.60, 0.01, True), ("vit_full_b64", 0.69, math.inf, False),
                     ("vit_full_b64", 0.67, 0.005, True)]


class Planned(typing.NamedTuple):
    report: dict      # report-after, or {} for a refusal
    error: str        # of a refusal: the budget is too small
    text: str         # the step that leaves
    wall: float       # of the whole process, seconds
    cpu: float        # user and system
    resident: int     # bytes


class Planner:
    """mem-opt on one step, again and again."""

    def __init__(self, program, folder, text):
        self.program, self.folder = program, folder
        self.step = folder / "step.mlir"
        self.step.write_text(text)

    def find_vertices(self, rewrites):
        """Bytes at the vertices of the hull: of the plans that cost what the plain bound
        says, those that lie on no line between two others."""
        table, out = self.folder / "ladder.csv", self.folder / "out.mlir"
        approximate = "memopt-approximate-activation-grad," if rewrites else ""
        pipeline = ("memopt-inline-calls,memopt-mark-captured,func.func(memopt-raise)," + approximate +
                    "memopt-share-norm-output,memopt-to-linalg{fence=keep},memopt-rematerialize"
                    f"{{saved-budget=100% device=h200 dry-run plan-file={self.folder / 'plan'} ladder={table}}}")
        subprocess.run([self.program, self.step, f"--pass-pipeline=builtin.module({pipeline})", "-o", out], check=True)
        with open(table) as lines:
            points = sorted({(int(r["saved_bytes"]), int(r["cost_picoseconds"])) for r in csv.DictReader(lines)
                             if r["cost_picoseconds"] == r["saved_bound_picoseconds"]})
        hull = []
        for x, y in points:
            while len(hull) > 1 and ((hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) >=
                                     (y - hull[-2][1]) * (hull[-1][0] - hull[-2][0])):
                hull.pop()
            hull.append((x, y))
        return [x for x, _ in hull]

    def plan(self, options):
        report, out = self.folder / "report.json", self.folder / "out.mlir"
        for old in (report, out):
            old.unlink(missing_ok=True)
        pipeline = f"memopt-pipeline{{{options} device=h200 report-format=json report-after={report}}}"
        command = [self.program, self.step, f"--pass-pipeline=builtin.module({pipeline})", "-o", out]
        with open(self.folder / "errors", "w") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(command, stderr=errors)
            status, usage = os.wait4(process.pid, 0)[1:]
            process.returncode = status  # it was waited for
        wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
        error = (self.folder / "errors").read_text() if status else ""
        if status and "smallest feasible budget" not in error:
            raise run_step.StepError(f"{pipeline}: {error[:2000]}")
        return Planned({} if status else json.loads(report.read_text()), error,
                       "" if status else out.read_text(), wall, cpu, usage.ru_maxrss * 1024)


def name_of(path):
    return path.name.removesuffix(".mlir.zst")


def contraction_flops(text):
    """FLOPs of the matmuls of a step: 2 b m n k, which is 2 sqrt(|A| |B| |C| / b) for
    A of b m k, B of b k n and C of b m n elements, in whatever order the axes stand."""
    total = 0
    pattern = re.compile(r"= linalg\.(batch_)?matmul .*?ins\(.*? : tensor<([\dx]+)x\w+>, tensor<([\dx]+)x\w+>\) "
                         r"outs\(.*? : tensor<([\dx]+)x\w+>\)")
    for batch, *shapes in pattern.findall(text):
        sizes = [[int(d) for d in shape.split("x")] for shape in shapes]
        elements = math.prod(math.prod(size) for size in sizes)
        total += 2 * math.isqrt(elements // (sizes[2][0] if batch else 1))
    return total


# ---- Near the bound, and fast ----

def ratio_row(label, reports, least=0):
    """Cost over the bound where the bound is above a share of the step; elsewhere only the excess counts."""
    costs = [(r["recompute_seconds"], r["lower_bound_seconds"], r["step_seconds"]) for r in reports]
    ratios = [cost / bound for cost, bound, step in costs if bound > least * step]
    mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else 1.0
    kept = mean <= MEAN and all(cost <= EACH * bound or cost - bound <= EXCESS * step
                                for cost, bound, step in costs)
    excess = max((cost - bound) / step for cost, bound, step in costs)
    return ratios, [*label, len(reports), f"{mean:.4f}", f"{max(ratios, default=1):.4f}",
                    f"{100 * excess:.3f} %", f"{100 * max(c / s for c, _, s in costs):.2f} %", verdict(kept)]


def time_row(name, text, base, plans):
    layers = 32 if "llama" in name else 12
    promised = SECONDS.get(name, SECONDS_OF_12)
    cpu = [p.cpu - base.cpu for p in plans]
    resident = max(p.resident for p in plans)
    kept = max(cpu) <= promised and resident <= BYTES
    return [name, layers, f"{text.count(chr(10)):,}", f"{base.cpu:.2f} s", f"{statistics.median(cpu):.2f} s",
            f"{max(cpu):.2f} s", f"{max(p.wall for p in plans):.2f} s", f"{promised:.0f} s",
            f"{resident / 2**20:.0f} MiB", verdict(kept)]


def vertex_row(planner, name, rewrites):
    """At one byte less than each vertex of the hull, where its edge says least."""
    plans = [planner.plan(f"saved-budget={bytes - 1}B {rewrites}") for bytes in planner.find_vertices(rewrites) if bytes]
    return ratio_row([name, rewrites or "exact"], [p.report for p in plans if not p.error], NEGLIGIBLE)[1]


def real_tables(program, folder):
    ratios, rows, times, refused, below = {"": [], "approximate=true": []}, [], [], [], []
    for path in bench_pipeline.REAL:
        text = run_step.read(path)
        planner, measured = Planner(program, folder, text), []
        for rewrites in ratios:
            plans = [planner.plan(f"saved-budget={share:.9f} {rewrites}") for share in SHARES]
            refused += [f"{name_of(path)} {rewrites} at {share:.3f}: {p.error.splitlines()[0]}"
                        for share, p in zip(SHARES, plans) if p.error]
            plans = [p for p in plans if not p.error]
            found, row = ratio_row([name_of(path), rewrites or "exact"], [p.report for p in plans])
            ratios[rewrites] += found
            rows.append(row)
            measured += plans
            below.append(vertex_row(planner, name_of(path), rewrites))
            print(row, below[-1], sep="\n", flush=True)
        times.append(time_row(name_of(path), text, planner.plan("approximate=true"), measured))
        print(times[-1], flush=True)
    means = {k: math.exp(statistics.fmean(map(math.log, v))) for k, v in ratios.items()}
    return rows, below, times, means, refused


def growth_table(program, folder):
    rows = []
    for layers, path in bench_pipeline.LAYERS.items():
        planner = Planner(program, folder, run_step.read(path))
        base, planned = planner.plan(""), planner.plan(f"saved-budget={GROWTH_SHARE}")
        cpu = planned.cpu - base.cpu
        rows.append([layers, f"{base.cpu:.2f} s", f"{cpu:.2f} s", f"{1e3 * cpu / layers:.0f} ms",
                     f"{planned.wall:.2f} s", f"{planned.resident / 2**20:.0f} MiB"])
        print(rows[-1], flush=True)
    return table(["layers", "memopt-pipeline, CPU", "planning and rewriting, CPU", "a layer",
                  "whole process, wall", "peak RSS"], rows)


# ---- Both rewrites, at a share of what min-cut keeps ----

def rewrites_table(program, folder):
    rows = []
    for name, share, overhead, contractions in SHARES_OF_MIN_CUT:
        path = next(p for p in bench_pipeline.REAL if name_of(p) == name)
        planner = Planner(program, folder, run_step.read(path))
        base = planner.plan("approximate=true")
        planned = planner.plan(f"saved-budget={int(share * MIN_CUT[name])} approximate=true")
        if planned.error:
            rows.append([name, share, planned.error.splitlines()[0], "", "", "**no**"])
            continue
        cost = planned.report["recompute_seconds"] / planned.report["step_seconds"]
        again = contraction_flops(planned.text) - contraction_flops(base.text)
        kept = cost <= overhead and (contractions or again == 0)
        rows.append([name, share, f"{planned.report['saved_bytes']:,}", f"{100 * cost:.3f} %",
                     f"{again / 1e9:.1f}", verdict(kept)])
    return table(["step", "share of min-cut's bytes", "saved bytes", "overhead",
                  "contraction GFLOP again", "as promised"], rows)


def bound_section(rows, below, means, refused):
    head = ["step", "rewrites", "budgets", "cost over bound, geometric mean", "worst",
            "largest excess, of the step", "largest overhead", "kept"]
    return f"""### Cost over the certified bound

`saved-budget` is 0.10 + k/15 for k = 0 to 9, of what the step as captured keeps. Promised: a geometric
mean of at most {MEAN}, and each at most {EACH} or its excess at most {100 * EXCESS:.1f} % of the step. Budgets whose
bound is zero have no ratio; their excess counts. Over all files the geometric mean is
{means[""]:.4f} exact and {means["approximate=true"]:.4f} with approximate=true.

{table(head, rows)}

{"Refused: " + "; ".join(refused) + "." if refused else "No budget was refused."}

One byte below each vertex of the hull of (bytes, cost), where some value no longer fits; bounds below
{NEGLIGIBLE:g} of the step give no ratio:

{table(head, below)}"""


def time_section(times, growth):
    body = table(["step", "layers", "lines", "memopt-pipeline, CPU", "planning, median CPU", "largest CPU",
                  "whole process, largest wall", "goal", "peak RSS", "kept"], times)
    return f"""### Time and memory

CPU is user and system time of the whole process, less that of memopt-pipeline without a budget where it
says planning; the other processes of a loaded machine lengthen wall-clock time much more. The largest of the
twenty budgets above counts; at most {BYTES >> 30} GiB is promised.

{body}

Growth with depth, LLaMA-7B LoRA steps in bf16, 1x2048, `saved-budget={GROWTH_SHARE}`; 128 layers are to take at
most {SECONDS_OF_128:.0f} s:

{growth}"""


def run(build, _):
    program, load = build / "bin" / "mem-opt", os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        rewrites = rewrites_table(program, folder)
        growth = growth_table(program, folder)
        rows, below, times, means, refused = real_tables(program, folder)
    return f"""## remat: near the bound, and fast

`./dev bench remat` on {bench_pipeline.machine()}, load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at
the end, niceness {os.nice(0)}; each figure is of one run. Costs are modelled seconds on `device=h200`.

{bound_section(rows, below, means, refused)}

### With both rewrites, at a share of what PyTorch's min-cut keeps

Promised: at most 1 % overhead; no contraction again; at most 0.5 % overhead.

{rewrites}

{time_section(times, growth)}
"""
