"""`./dev bench arena`: how near the lower bound the arenas are, and how fast they are made.

The storages of every shipped step, as captured, as memopt-pipeline leaves it, and under
budgets. Beside ours stand two simple packers, written for the comparison: first fit in
the order of birth, as an allocator does it during the step, and first fit by size.
"""
import pathlib
import tempfile

import bench_pipeline
import pack_steps
import run_step
from bench_knapsack import table


def measure(build, path, folder):
    """{variant: what pack-steps prints} of a step."""
    step, found = folder / "step.mlir", {}
    step.write_text(run_step.read(path))
    for i, variant in enumerate(pack_steps.PIPELINES):
        graph = folder / f"graph{i}"
        code, error = pack_steps.print_graph(build, step, variant, graph)
        if code:
            raise run_step.StepError(error)
        found[variant], = pack_steps.pack(build, [graph])
    return found


def row(name, variant, packed):
    bound = packed["lower_bound"]
    ratio = lambda key: f"{packed[key] / bound:.4f}"
    return [name, variant, f"{packed['buffers']:,}", f"{bound:,}", f"{packed['height']:,}",
            ratio("height"), f"{1e3 * packed['seconds']:.1f} ms", ratio("by_size"), ratio("by_birth")]


def summarise(rows):
    packed = [p for _, _, p in rows]
    ratios = {key: [p[key] / p["lower_bound"] for p in packed] for key in ("height", "by_size", "by_birth")}
    line = lambda label, key: [label, f"{sum(r == 1 for r in ratios[key])} of {len(packed)}",
                               f"{sum(ratios[key]) / len(packed):.4f}", f"{max(ratios[key]):.4f}"]
    return table(["packer", "at the lower bound", "mean height over bound", "largest"],
                 [line("ours", "height"), line("first fit by size", "by_size"),
                  line("first fit by birth", "by_birth")])


def run(build, arguments):
    inputs = run_step.ROOT / "test" / "Inputs"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for step, path in pack_steps.shipped_steps(inputs).items():
            for variant, packed in measure(build, path, pathlib.Path(name)).items():
                rows.append((step, variant, packed))
            print(f"   {step}", flush=True)
    slowest = max(rows, key=lambda r: r[2]["seconds"])
    shown = [r for r in rows if r[1] in ("captured", "smallest peak x 1.25") or
             r[2]["height"] != r[2]["lower_bound"]]
    return "\n".join([
        "## arena: height over the lower bound", "",
        f"`./dev bench arena` on {bench_pipeline.machine()}. {len(rows)} packings: every shipped step as",
        "captured and under " + ", ".join(f"`{v}`" for v in list(pack_steps.PIPELINES)[1:]) + ". The lower",
        "bound is the most bytes alive at once, sizes rounded up to 64; times are CPU time of one thread.", "",
        summarise(rows), "",
        f"The slowest is {slowest[0]}, {slowest[1]}: {slowest[2]['seconds']:.2f} s for {slowest[2]['buffers']:,} buffers.", "",
        "As captured, at a quarter above the smallest peak, and all that are not at the bound:", "",
        table(["step", "variant", "buffers", "lower bound", "height", "ratio", "time", "by size", "by birth"],
               [row(*r) for r in shown])])
