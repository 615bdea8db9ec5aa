"""`./dev bench fidelity`: does a training with approximate gradients end where the exact one
ends?

    --seeds=5 --steps=300    of each fine-tuning
    NAME...                  only these of vit, vit_lora, gpt, gpt_lora, llama, llama_lora

Each model is trained exactly on one task, then tuned to another, whole or by adapters of
rank 8: exact, with the published coefficients, and with optimal ones of 1 to 4 bits; all by
mem-run. A seed gives the order of the data and the adapters' first values; what is compared
are runs of the same seeds.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
import pathlib

import fidelity_data
import fidelity_run
from bench_knapsack import table
from bench_remat_chain import plot_environment
from bench_pipeline import machine
from run_step import ROOT

INPUTS = ROOT / "test" / "Inputs" / "fidelity"
FAMILIES = ["vit", "gpt", "llama"]
CONFIGURATIONS = {
    "exact": "",
    "paper, 2 bits": "approximate=true coefficients=paper",
    **{f"optimal, {bits} bit{'s' if bits > 1 else ''}": f"approximate=true bits={bits}"
       for bits in (1, 2, 3, 4)}}
FIRST_STEPS = 600
RATES = {"full": "3e-3", "lora": "1e-2"}


def optimizer(rate):
    return ["--optimizer=adamw", f"--lr={rate}", "--schedule=linear", "--warmup=20"]


def data_of(family, model, folder):
    if family == "vit":
        found = fidelity_data.digits(folder)
        return found and fidelity_data.Images(*found)
    return fidelity_data.Text(model.shape(model.inputs[0])[1])


class Study:
    """One family: its data and its model after the first training."""

    def __init__(self, family, build, folder):
        self.family, self.folder = family, folder
        self.program = build / "bin" / "mem-run"
        self.models = {name: fidelity_run.Model.load(INPUTS / f"{name}.mlir.zst", folder)
                       for name in (family, f"{family}_lora")}
        self.constants = json.loads((INPUTS / "buffers.json").read_text())
        self.data = data_of(family, self.models[family], build / "fidelity")
        if self.data:
            result, self.base = self.run(family, "", True, FIRST_STEPS, 0, {}, optimizer("3e-3"))
            self.first = result["evaluations"][-1]

    def run(self, name, pipeline, first, steps, seed, base, options):
        model = self.models[name]
        arguments = fidelity_run.initial_arguments(model, seed, base, self.constants)
        batch = model.shape(model.inputs[0])[0]
        return fidelity_run.train(self.program, model, self.folder, pipeline, arguments,
                                  self.data.batch_sets(first, steps, batch, seed),
                                  [f"--steps={steps}", *options])

    def tune(self, name, pipeline, steps, seed, *options):
        rate = RATES["lora" if name.endswith("lora") else "full"]
        result, _ = self.run(name, pipeline, False, steps, seed, self.base,
                             [*optimizer(rate), f"--eval-every={max(steps // 6, 1)}", *options])
        return result

    def differences(self, name, steps):
        """The largest relative differences of a step's loss and of its results after the exact
        pipeline from those of the step as captured, both from the parameters of the training."""
        found = self.tune(name, "", steps, 0, f"--reference={self.models[name].step}")
        return max(found["loss_difference"]), max(found["result_difference"])


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def summary(runs, exact, name):
    """A row: final accuracy and loss over the seeds, and how far from exact."""
    accuracy = [100 * r["evaluations"][-1]["watched"][0] for r in runs]
    loss = [r["evaluations"][-1]["loss"] for r in runs]
    reference = [100 * r["evaluations"][-1]["watched"][0] for r in exact]
    distance = statistics.mean(accuracy) - statistics.mean(reference)
    within = abs(distance) <= spread(reference) or runs is exact
    peak = runs[0]["peak_bytes"]
    return [name, f"{statistics.mean(accuracy):.2f} ± {spread(accuracy):.2f}",
            f"{statistics.mean(loss):.4f} ± {spread(loss):.4f}",
            "" if runs is exact else f"{distance:+.2f}", "" if runs is exact else "yes" if within else "**no**",
            f"{peak:,}", f"{1000 * statistics.median(r['seconds_per_step'] for r in runs):.1f} ms"]


def study_family(family, options, build, folder):
    """(sections of Markdown, curves by name and configuration)."""
    study = Study(family, build, folder)
    if not study.data:
        return ["Skipped: scikit-learn's wheel could not be fetched."], {}
    sections, curves = [], {}
    for name in (n for n in (family, f"{family}_lora") if not options.names or n in options.names):
        runs = {}
        for label, pipeline in CONFIGURATIONS.items():
            if family == "gpt" and "paper" in pipeline:
                continue  # nothing is published for GELU's tanh form
            runs[label] = [study.tune(name, pipeline, options.steps, seed) for seed in range(options.seeds)]
            print(f"   {name}, {label}: " + ", ".join(
                f"{100 * r['evaluations'][-1]['watched'][0]:.2f}" for r in runs[label]), flush=True)
        loss, gradient = study.differences(name, options.steps)
        rows = [summary(runs[label], runs["exact"], label) for label in runs]
        sections.append(f"### {name}\n\n" + table(
            ["gradients", "accuracy, %", "loss", "from exact", "within one deviation of exact", "peak bytes", "a step"],
            rows) + f"\n\nBefore the tuning: {100 * study.first['watched'][0]:.2f} % on its first task. "
            "Before and after the exact pipeline, from the same parameters at each of "
            f"{options.steps} steps, the loss differs by at most {loss:.1e} of itself, and a gradient by "
            f"{gradient:.1e} of its norm.")
        curves[name] = {label: [[r["loss"] for r in rs], [[(e["step"], 100 * e["watched"][0])
                        for e in r["evaluations"]] for r in rs]] for label, rs in runs.items()}
    return sections, curves


def draw(family, curves, build):
    image, python = ROOT / "docs" / "img" / f"fidelity_{family}.svg", plot_environment(build)
    if not python or not curves:
        return "The plot was skipped: no matplotlib."
    subprocess.run([python, ROOT / "tools" / "dev" / "fidelity_plot.py", image],
                   input=json.dumps(curves), text=True, check=True)
    return f"![Loss and accuracy of each tuning of {family}](img/{image.name})"


def run(build, arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    (build / "fidelity").mkdir(exist_ok=True)
    sections = []
    for family in FAMILIES:
        if options.names and not {family, f"{family}_lora"} & set(options.names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            texts, curves = study_family(family, options, build, pathlib.Path(folder))
        sections += [*texts, draw(family, curves, build)]
    return f"""## Fidelity: training with approximate gradients

{machine()}. {options.seeds} seeds, {options.steps} steps of AdamW with a linear schedule; accuracy and loss on data
that no step saw; ± is the standard deviation over the seeds. Models of three layers, hidden 64
(`tools/capture/models/fidelity_models.py`); data from packages (`tools/dev/fidelity_data.py`).
"Before and after the exact pipeline" is `mem-run --reference`: both programs run each step from the
parameters of the training, 0 means the same bits, and a gradient's norm counts as at least a hundredth of
the largest one's.

""" + "\n\n".join(sections)
