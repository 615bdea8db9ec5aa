"""`./dev bench speed`: a step's time beside PyTorch eager, on the same threads in the same run.

    --rounds=7         of each configuration
    --threads=1,2
    --python=PATH      a Python that has tools/capture/requirements.txt, in place of
                       build/capture-venv, which is made from PyPI
    MODEL...           only these of vit, gpt2, llama

The models are those of tools/capture/models/speed_models.py, captured with their attention
written out, as eager PyTorch computes it. In each round every configuration runs once after
the other, three steps each, of which the median counts; what is shown are medians over the
rounds of times divided by PyTorch's of the same round, so that a machine at work slows both.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import typing

import bench_pipeline
import run_step
from bench_knapsack import table, verdict
from named_plans import environment

HERE, ROOT = run_step.ROOT / "tools" / "dev", run_step.ROOT
CAPTURE = ROOT / "tools" / "capture"
MODELS = {"vit": "0..9", "gpt2": "0..4095", "llama": "0..4095"}  # and their integers
VARIANTS = {"as captured": None, "memopt-pipeline": "", "approximate=true": "approximate=true"}
ATTENTIONS = ["eager", "sdpa"]
GOAL, REWRITES = 1.2, 1.02


class Time(typing.NamedTuple):
    seconds: float
    cpu: float      # of all threads


def middle(times):
    return Time(statistics.median(t.seconds for t in times), statistics.median(t.cpu for t in times))


# ---- The two sides ----

def capture(python, model, folder):
    """MODEL.mlir with its arguments and PyTorch's results; made once."""
    base = folder / model
    if not base.with_suffix(".npz").exists():
        print(f"   capturing {model}", flush=True)
        subprocess.run([python, CAPTURE / "capture.py", "torch", CAPTURE / "models" / f"speed_models.py:{model}",
                        "--out", base], check=True, capture_output=True,
                       env={**os.environ, "PYTHONPATH": str(CAPTURE / "models")})
    return base


class Ours:
    """A step under one pipeline."""

    def __init__(self, program, base, model, pipeline, threads):
        self.command = [str(program), f"{base}.mlir", f"--num-threads={threads}"]
        if pipeline is not None:
            self.command.append(f"--pipeline={pipeline}")
        self.base, self.integers = base, f"--int-range={MODELS[model]}"

    def ask(self, *options):
        """mem-run's answer, and the CPU seconds of its process."""
        process = subprocess.Popen([*self.command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        out = process.stdout.read()
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = status  # it was waited for
        return json.loads(out), usage.ru_utime + usage.ru_stime

    def check(self):
        """Bytes, and whether all results are as PyTorch's; compiles the step for the rounds."""
        return self.ask(f"--inputs={self.base}.npz", f"--expect={self.base}.npz")[0]

    def measure(self):
        """Three steps' CPU time is what a process of four takes more than one of one."""
        ask = lambda repeat: self.ask(self.integers, "--measure=false", f"--repeat={repeat}")
        (_, once), (answer, more) = ask(1), ask(4)
        return Time(answer["seconds_per_step"], (more - once) / 3)


class PyTorch:
    """A process that runs a step whenever it is asked to."""

    def __init__(self, python, model, attention, threads):
        self.process = subprocess.Popen(
            [python, HERE / "speed_torch.py", model, attention, str(threads)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.about = self.read()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def measure(self):
        times = []
        for _ in range(3):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            answer = self.read()
            times.append(Time(answer["seconds"], answer["cpu_seconds"]))
        return middle(times)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# ---- One model on some threads ----

class Row(typing.NamedTuple):
    model: str
    threads: int
    name: str
    time: Time      # medians over the rounds
    ratio: Time     # over PyTorch eager's
    over: Time      # over "as captured"
    size: int       # bytes: planned, or PyTorch's peak
    checked: str


def compare(program, python, folder, model, threads, rounds):
    base = capture(python, model, folder)
    sides = {f"PyTorch, {a} attention": PyTorch(python, model, a, threads) for a in ATTENTIONS}
    versions = next(iter(sides.values())).about["versions"]
    sizes = {name: side.about["peak_bytes"] for name, side in sides.items()}
    checked = {}
    for name, pipeline in VARIANTS.items():
        sides[name] = Ours(program, base, model, pipeline, threads)
        answer = sides[name].check()
        sizes[name] = answer["planned_bytes"]
        checked[name] = "approximate by design" if pipeline else verdict(answer["ok"])
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(side.measure())
    for name in sides:
        if isinstance(sides[name], PyTorch):
            sides[name].close()

    def over(name, other):
        return middle([Time(a.seconds / b.seconds, a.cpu / b.cpu) for a, b in zip(times[name], times[other])])

    eager, captured = f"PyTorch, {ATTENTIONS[0]} attention", "as captured"
    rows = [Row(model, threads, name, middle(times[name]), over(name, eager), over(name, captured), sizes[name],
                checked.get(name, "")) for name in sides]
    for row in rows:
        print(f"   {model}, {threads} threads, {row.name}: {1000 * row.time.seconds:.0f} ms, "
              f"{row.ratio.seconds:.2f} of eager ({row.ratio.cpu:.2f} in CPU time)", flush=True)
    return rows, versions


# ---- The section ----

def show(rows):
    lines = []
    for row in rows:
        ours = row.name in VARIANTS
        lines.append([row.model, row.threads, row.name, f"{1000 * row.time.seconds:.0f} ms", f"{row.ratio.seconds:.2f}",
                      f"{row.ratio.cpu:.2f}", verdict(row.ratio.seconds <= GOAL) if ours else "",
                      f"{row.over.seconds:.3f}" if ours else "",
                      f"{row.size:,}", row.checked])
    return table(["step", "threads", "", "a step", "of PyTorch eager's time", "of its CPU time", f"at most {GOAL}",
                  "of the step as captured", "bytes", "results as PyTorch's"], lines)


def section(rows, versions, rounds, load):
    return f"""## speed: beside PyTorch eager

`./dev bench speed` on {bench_pipeline.machine()}, load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the
end; {versions} on the CPU. Forward and backward in f32: a ViT (6 layers, hidden 384, batch 16, 65
tokens), a GPT-2 and a LLaMA of the same size (8 x 128 tokens, 4096 in the vocabulary). Configurations alternate;
ratios are medians over {rounds} rounds of times within a round. CPU time is that of all threads of a process, which a
busy machine disturbs less than the clock.

{show(rows)}

Bytes of ours are the arena: results and all in between. Those of PyTorch are the most that its allocator has given
out at once during a step, gradients among them, parameters and inputs apart. Results are compared as by `mem-run --expect`:
with PyTorch's own in float64, beside its error in float32. PyTorch's fused attention (sdpa) does not write the
scores out; it has no decomposition that could be captured, and is shown for comparison.
"""


def run(build, arguments):
    parser = argparse.ArgumentParser(prog="bench speed")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args([a for a in arguments if a != "--"])
    python, why = (options.python, "") if options.python else environment(build)
    if python is None:
        print(f"   SKIP: {why}", flush=True)
        return f"## speed: beside PyTorch eager\n\nSkipped: {why}."
    folder, load, rows = build / "speed", os.getloadavg()[0], []
    folder.mkdir(exist_ok=True)
    for model in options.models or MODELS:
        for threads in map(int, options.threads.split(",")):
            found, versions = compare(build / "bin" / "mem-run", python, folder, model, threads, options.rounds)
            rows += found
    return section(rows, versions, options.rounds, load)
