"""`./dev bench remat_pytorch`: plans of PyTorch's partitioner beside ours, on one graph.

    --python=PATH    a Python that has tools/capture/requirements.txt, in place of the
                     bench's own environment build/capture-venv, which is made from PyPI
    --reuse          take what PyTorch answered in an earlier run, where it is there, from
                     build/remat-pytorch
    STEP...          only these files of test/Inputs/corpus/real

The models are captured anew, with the node names of PyTorch's graph as locations. Its
plans are read by `memopt-rematerialize{keep=@...}`; so both planners' plans are of the
same graph, priced and simulated alike.
"""
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import typing

import bench_pipeline
import run_step
from bench_knapsack import table, verdict
from bench_remat import contraction_flops, name_of
from bench_remat_chain import plot_environment
from named_plans import SWEEP, Step, ask_pytorch, environment

HERE, ROOT = run_step.ROOT / "tools" / "dev", run_step.ROOT
SHOWN = [0.25, 0.5, 0.75, 1.0]  # budgets in the tables; 1: the default
TOLERANCE = 1.001      # more contraction FLOPs than PyTorch's, at most
SAVED_SHARES = [0.70, 0.75, 0.80, 0.85, 0.90, 0.95]
PEAK_SHARES = [0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90]
OVERHEADS = [0.01, 0.02, 0.05, 0.10, 0.20]
# Goals for their cost over ours, means: at equal bytes; at equal peak.
BYTES_GOAL, PEAK_GOAL, PEAK_GOAL_LLAMA = 1.15, 1.2, 1.5


# ---- One model ----

class Contractions(typing.NamedTuple):
    """Ours with saved-budget= what a plan of PyTorch's keeps."""
    answer: dict       # PyTorch's
    saved: int         # bytes
    flops: int         # of contractions that run again
    cpu: float         # of the whole mem-opt, seconds
    flops_least: int   # the same on device=flops
    cost: int          # picoseconds
    bound: int         # picoseconds, certified


class Model(typing.NamedTuple):
    name: str
    step_time: int     # picoseconds
    answers: list      # of PyTorch, by budget
    late: list         # its plans, recomputed as late as possible: named_plans.Plan
    ordered: list      # the same in its own order
    ladder: list       # our plans: named_plans.Plan, with bounds
    contractions: list # at the bytes of its plans: Contractions
    between: tuple     # budgets between its plans where ours runs (fewer, as many, more) FLOPs again

    def default(self, which):
        return getattr(self, which)[-1]

    def share(self, cost):
        return cost / self.step_time


def again(step, base, options):
    """FLOPs of the contractions that a plan runs again, and the run."""
    done = step.rematerialize(options)
    return contraction_flops(done.text) - base, done


def count_between(step, answers):
    """Halfway between the bytes of two of PyTorch's plans, what contractions cost either: on
    device=flops a picosecond is a thousand FLOPs and nothing else costs."""
    counts, plans = [0, 0, 0], step.ladder("flops")
    sizes = sorted({a["bytes"] for a in answers})
    for low, high in zip(sizes, sizes[1:]):
        middle = (low + high) // 2
        theirs = min(a["flops"] for a in answers if a["bytes"] <= middle)
        ours = 1000 * min(p.cost for p in plans if p.saved <= middle)
        if theirs:
            counts[1 if abs(ours - theirs) <= (TOLERANCE - 1) * theirs else 0 if ours < theirs else 2] += 1
    return tuple(counts)


def compare(program, folder, name, step_file, answers):
    step = Step(program, folder, step_file)
    answers.sort(key=lambda a: a["budget"])
    late = [step.named(a) for a in answers]
    ordered = [step.named(a, in_its_order=True) for a in answers]
    base, contractions = contraction_flops(step_file.read_text()), []
    for answer, plan in zip(answers, late):
        if answer["budget"] in SHOWN:
            flops, done = again(step, base, f"saved-budget={plan.saved}")
            least, _ = again(step, base, f"saved-budget={plan.saved} device=flops")
            contractions.append(Contractions(
                answer, done.attribute("saved_bytes"), flops, done.cpu, least,
                done.attribute("recompute_picoseconds"), done.attribute("lower_bound_picoseconds")))
    model = Model(name, done.attribute("step_picoseconds"), answers, late, ordered, step.ladder("h200"),
                  contractions, count_between(step, answers))
    print(f"   {name}: {len(answers)} plans of PyTorch, {len(model.ladder)} of ours", flush=True)
    return model


# ---- Tables ----

def cheapest(plans, **limits):
    """The least cost within limits of `saved` and `peak`; None where no plan is within."""
    return min((p.cost for p in plans if all(getattr(p, k) <= v for k, v in limits.items())), default=None)


def ratio(theirs, ours):
    """None where there is nothing to divide."""
    return theirs / ours if theirs is not None and ours else None


def show_ratio(theirs, ours, model):
    """The ratio, and the two overheads in percent of the step."""
    def percent(cost):
        return "none" if cost is None else f"{100 * model.share(cost):.2f}"
    value = ratio(theirs, ours)
    return f"{f'{value:.3f}' if value else '-'} ({percent(theirs)} : {percent(ours)})"


def mean(ratios):
    found = [r for r in ratios if r]
    return math.exp(statistics.fmean(map(math.log, found))) if found else None


def import_table(models):
    rows = []
    for m in models:
        kept = sum(a["bytes"] for a in m.answers)
        lost = max(p.unmapped / a["bytes"] for p, a in zip(m.late, m.answers))
        apart = max(abs(p.saved - a["bytes"]) / a["bytes"] for p, a in zip(m.late, m.answers))
        rows.append([m.name, len(m.answers), f"{kept / len(m.answers):,.0f}", f"{100 * lost:.4f} %",
                     f"{100 * apart:.3f} %", verdict(lost <= 0.01)])
    return table(["step", "plans", "bytes kept, mean", "unmapped, largest share of the bytes",
                  "simulated bytes differ at most by", "at most 1 % unmapped"], rows)


def contraction_table(models):
    rows = []
    for m in models:
        for answer, saved, flops, cpu, least, *_ in m.contractions:
            rows.append([m.name, answer["budget"], f"{answer['bytes']:,}", f"{answer['flops'] / 1e9:,.1f}",
                         f"{answer['cpu_seconds']:.1f} s", f"{saved:,}", f"{flops / 1e9:,.1f}", f"{cpu:.1f} s",
                         verdict(flops <= TOLERANCE * answer["flops"]), f"{least / 1e9:,.1f}",
                         verdict(least <= TOLERANCE * answer["flops"])])
    return table(["step", "activation_memory_budget", "PyTorch keeps, bytes", "GFLOP again",
                  "its partitioner, CPU", "ours keeps, bytes", "GFLOP again, `h200`", "whole mem-opt, CPU",
                  "never more", "GFLOP again, `flops`", "never more"], rows)


def between_table(models):
    return table(["step", "budgets between its plans", "ours fewer", "as many", "more"],
                 [[m.name, sum(m.between), *m.between] for m in models])


def exact_bytes_table(models):
    rows = []
    for m in models:
        theirs = {p.budget: p for p in m.late}
        for ours in m.contractions:
            plan = theirs[ours.answer["budget"]]
            rows.append([m.name, plan.budget, f"{plan.saved / 1e9:.3f}", show_ratio(plan.cost, ours.cost, m),
                         f"{100 * m.share(ours.bound):.2f}"])
    return table(["step", "activation_memory_budget", "GB kept", "theirs over ours (overheads, %)",
                  "no plan below, %"], rows)


def share_rows(models, shares, which, plans_of, goals):
    """Their cost over ours at shares of the default plan's bytes or peak."""
    rows, means = [], {}
    for m in models:
        plans = plans_of(m)
        whole = min(getattr(p, which) for p in plans if p.budget == 1.0)
        limits = [{which: int(share * whole)} for share in shares]
        pairs = [(cheapest(plans, **limit), cheapest(m.ladder, **limit)) for limit in limits]
        means[m.name] = mean(ratio(*pair) for pair in pairs)
        rows.append([m.name, f"{whole / 1e9:.2f}", *(show_ratio(*pair, m) for pair in pairs),
                     f"{means[m.name]:.3f}" if means[m.name] else "", f"{goals(m.name):.2f}"])
    return rows, means


def saved_table(models):
    rows, means = share_rows(models, SAVED_SHARES, "saved", lambda m: m.late, lambda _: BYTES_GOAL)
    head = ["step", "default, GB", *(f"{s:.2f}" for s in SAVED_SHARES), "geometric mean", "goal"]
    return table(head, rows), means


def peak_table(models):
    rows, means = share_rows(models, PEAK_SHARES, "peak", lambda m: m.late + m.ordered,
                             lambda name: PEAK_GOAL_LLAMA if "llama" in name else PEAK_GOAL)
    head = ["step", "default, GB", *(f"{s:.2f}" for s in PEAK_SHARES), "geometric mean", "goal"]
    return table(head, rows), means


def least(plans, which, cost):
    found = min((getattr(p, which) for p in plans if p.cost <= cost), default=None)
    return "none" if found is None else f"{found / 1e9:.2f}"


def overhead_table(models):
    rows = []
    for m in models:
        for share in OVERHEADS:
            cost = share * m.step_time
            rows.append([m.name, f"{100 * share:g} %", least(m.late, "saved", cost), least(m.ladder, "saved", cost),
                         least(m.late + m.ordered, "peak", cost), least(m.ladder, "peak", cost)])
    return table(["step", "overhead", "GB kept, PyTorch", "ours", "peak in GB, PyTorch", "ours"], rows)


def order_sentence(models):
    """Which of the two orders of PyTorch's plans has the smaller peak."""
    pairs = [(a.peak, b.peak) for m in models for a, b in zip(m.late, m.ordered)]
    return (f"Of its {len(pairs)} plans, {sum(a < b for a, b in pairs)} have the smaller peak with our placement, "
            f"{sum(a > b for a, b in pairs)} in its own order; its own is {mean(b / a for a, b in pairs):.3f} "
            f"times ours in geometric mean, and the better one counts below.")


# ---- The picture ----

def plot(build, models):
    python = plot_environment(build)
    if python is None:
        return "The plot was skipped: no matplotlib."
    series = []
    for m in models:
        def points(plans, which):
            return [[getattr(p, which) / 1e9, 100 * m.share(p.cost)] for p in plans]
        series.append({
            "name": m.name, "late": {w: points(m.late, w) for w in ("saved", "peak")},
            "ordered": points(m.ordered, "peak"), "ours": {w: points(m.ladder, w) for w in ("saved", "peak")},
            "bound": {w: [[getattr(p, w) / 1e9, 100 * m.share(getattr(p, f"{w}_bound"))] for p in m.ladder]
                      for w in ("saved", "peak")}})
    subprocess.run([python, HERE / "remat_plot.py", ROOT / "docs" / "img" / "remat_pytorch.svg"], text=True,
                   check=True, input=json.dumps(series))
    return "![Overhead against saved bytes and against the peak](img/remat_pytorch.svg)"


def goal_sentence(means, goal_of):
    llama = {n: m for n, m in means.items() if "llama" in n and m}
    rest = [m for n, m in means.items() if "llama" not in n and m]
    parts = [f"{n} {m:.2f} (goal {goal_of(n):.2f})" for n, m in llama.items()]
    if rest:
        parts.append(f"the others {mean(rest):.2f} in geometric mean (goal {goal_of(''):.2f})")
    return "; ".join(parts)


def section(build, models, load):
    saved, saved_means = saved_table(models)
    peak, peak_means = peak_table(models)
    peak_goal = lambda name: PEAK_GOAL_LLAMA if "llama" in name else PEAK_GOAL
    return f"""## remat_pytorch: beside PyTorch's partitioner, on one graph

`./dev bench remat_pytorch` on {bench_pipeline.machine()}, load {load:.1f} at the start and {os.getloadavg()[0]:.1f}
at the end, niceness {os.nice(0)}; {models[0].answers[0]['versions']}. PyTorch partitions the joint graph that torch.compile
would (inductor's decompositions, eager attention, its defaults beside the budget), at budgets 0.05, 0.1, ..., 1; its
bytes are the storages it keeps for the backward, arguments apart. The same graph, lowered with its node names as
locations, is the step that we plan, and PyTorch's plans come to it by those names (`keep=@file`): everything below is
one graph, one price (`device=h200`) and one simulation. No rewrite is applied.

{import_table(models)}

Where bytes differ, PyTorch counts a slice and the simulation the storage that it holds.

### Contractions that run again, at equal bytes

FLOPs are those of the matrix products after, less those before. `h200` minimises modelled time, `flops` the FLOPs of
matrix products alone, which is what PyTorch estimates. Never more means within {100 * (TOLERANCE - 1):.1f} %.

{contraction_table(models)}

At budgets halfway between the bytes of two of its plans, on `device=flops`, the cheapest of its plans that fits
against ours:

{between_table(models)}

### Roofline, at the bytes of its own plans

{exact_bytes_table(models)}

### Roofline, at shares of its default's bytes

Its cost over ours (the two overheads in percent of the step), where its is the cheapest of its {len(SWEEP)} plans
that keeps no more. A ratio counts in the mean where both are above zero. {goal_sentence(saved_means, lambda _: BYTES_GOAL)}.

{saved}

### Roofline, at equal simulated peak

The same, where its is the cheapest of its plans with no larger peak, as a share of its default's. "none": no plan of
its sweep has so small a peak.
{order_sentence(models)} {goal_sentence(peak_means, peak_goal)}.

{peak}

### At equal overhead

The fewest bytes kept, and the smallest peak, of plans that cost no more than a share of the step.

{overhead_table(models)}

{plot(build, models)}
"""


def run(build, arguments):
    given = next((a.removeprefix("--python=") for a in arguments if a.startswith("--python=")), None)
    chosen = [a for a in arguments if not a.startswith("--")]
    python, why = (pathlib.Path(given), "") if given else environment(build)
    if python is None:
        print(f"   SKIP: {why}", flush=True)
        return f"## remat_pytorch: beside PyTorch's partitioner\n\nSkipped: {why}."
    answers, load, models = build / "remat-pytorch", os.getloadavg()[0], []
    answers.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for path in bench_pipeline.REAL:
            if not chosen or name_of(path) in chosen:
                asked = ask_pytorch(python, name_of(path), answers, "--reuse" in arguments)
                models.append(compare(build / "bin" / "mem-opt", pathlib.Path(scratch), name_of(path), *asked))
    return section(build, models, load)
