"""Plans on a step whose ops have the names of another planner's nodes.

    step = Step(program, folder, file)
    step.named(answer)       its plan, priced and simulated
    step.ladder("h200")      all of ours

An answer is what remat_torch.py prints for one activation_memory_budget: `keep`, a list
of (name, bytes), `order`, and more.
"""
import csv
import json
import os
import re
import subprocess
import sys
import typing

import run_step

HERE, ROOT = run_step.ROOT / "tools" / "dev", run_step.ROOT
SWEEP = [f"{k / 20:g}" for k in range(1, 21)]  # activation_memory_budget
SUMMARY = re.compile(r"saved (\d+) bytes, recomputed \d+ runs in (\d+) ps \(bound (\d+) ps for these bytes, "
                     r"(\d+) ps for this peak\), peak (\d+) bytes")
UNKNOWN = re.compile(r"names are no values of the forward: (.*)")


class Plan(typing.NamedTuple):
    saved: int             # bytes that cross to the backward
    peak: int              # bytes
    cost: int              # picoseconds
    saved_bound: int = 0   # picoseconds: no plan of as few bytes costs less
    peak_bound: int = 0    # the same of as small a peak
    budget: float = 0.0    # activation_memory_budget
    unmapped: int = 0      # bytes of names that stand for nothing in the step


class Done(typing.NamedTuple):
    text: str      # the step that leaves
    output: str    # what was printed beside it
    errors: str
    cpu: float     # seconds, user and system

    def attribute(self, name):
        """A number that the plan's attribute has."""
        return int(re.search(rf"\b{name} = (\d+) : i64", self.text)[1])


class Step:
    def __init__(self, program, folder, step):
        self.program, self.folder, self.step = program, folder, step
        self.known = {}  # plans by what they keep: several budgets can give one

    def rematerialize(self, options):
        """memopt-rematerialize on the step; fails as it does."""
        out, error = self.folder / "out.mlir", self.folder / "errors"
        plan = self.folder / "plan"
        command = [self.program, self.step, "-o", out,
                   f"--pass-pipeline=builtin.module(memopt-rematerialize{{plan-file={plan} {options}}})"]
        with open(error, "w") as errors:
            process = subprocess.Popen([str(a) for a in command], stderr=errors)
            status, usage = os.wait4(process.pid, 0)[1:]
            process.returncode = status  # it was waited for
        if status:
            raise run_step.StepError(f"{options}: {error.read_text()[:2000]}")
        return Done(out.read_text(), plan.read_text(), error.read_text(), usage.ru_utime + usage.ru_stime)

    def write_names(self, answer):
        """The options for the answer's plan: late as possible, and in its order."""
        kept, order = self.folder / "kept", self.folder / "order"
        kept.write_text("".join(f"{name}\n" for name, _ in answer["keep"]))
        order.write_text("".join(f"{name}\n" for name in answer["order"]))
        return f"keep=@{kept}", f"keep=@{kept} backward-order=@{order}"

    def named(self, answer, in_its_order=False):
        key = in_its_order, json.dumps(answer["keep"])
        if key in self.known:
            return self.known[key]._replace(budget=answer["budget"])
        done = self.rematerialize(self.write_names(answer)[in_its_order] + " dry-run")
        saved, cost, saved_bound, peak_bound, peak = map(int, SUMMARY.match(done.output).groups())
        unknown = UNKNOWN.search(done.errors)
        unknown = set(unknown[1].split(", ")) if unknown else set()
        unmapped = sum(size for name, size in answer["keep"] if name in unknown)
        plan = Plan(saved, peak, cost, saved_bound, peak_bound, answer["budget"], unmapped)
        return self.known.setdefault(key, plan)

    def ladder(self, device):
        """All plans that a budget selects from."""
        table = self.folder / "ladder.csv"
        self.rematerialize(f"saved-budget=100% device={device} dry-run ladder={table}")
        with open(table) as lines:
            return [Plan(int(r["saved_bytes"]), int(r["peak_bytes"]), int(r["cost_picoseconds"]),
                         int(r["saved_bound_picoseconds"]), int(r["peak_bound_picoseconds"]))
                    for r in csv.DictReader(lines)]


# ---- Asking PyTorch ----

def environment(build):
    """The Python with PyTorch, or None and why not."""
    venv = build / "capture-venv"
    python = venv / "bin" / "python"
    probe = [python, "-c", "import torch, torch_mlir, transformers, peft"]
    if not python.exists() or subprocess.run(probe, capture_output=True).returncode:
        print("   making build/capture-venv (torch is large)", flush=True)
        if subprocess.run([sys.executable, "-m", "venv", venv]).returncode or subprocess.run(
                [python, "-m", "pip", "install", "-q", "-r", ROOT / "tools/capture/requirements.txt"]).returncode:
            return None, "the virtual environment could not be made"
    probed = subprocess.run(probe, capture_output=True, text=True)
    return (None, probed.stderr.strip()) if probed.returncode else (python, "")


def ask_pytorch(python, name, folder, reuse):
    """The step with names, and one answer a budget; see remat_torch.py."""
    step, lines = folder / f"{name}.mlir", folder / f"{name}.json"
    if not (reuse and step.exists() and lines.exists()):
        out = subprocess.run([python, HERE / "remat_torch.py", name, "--step", step, *SWEEP],
                             capture_output=True, text=True)
        if out.returncode:
            print(out.stderr[-2000:], file=sys.stderr)
            raise SystemExit(f"bench: remat_torch.py failed on {name}")
        lines.write_text(out.stdout)
    answers = [json.loads(line) for line in lines.read_text().splitlines() if line.startswith("{")]
    if not set(map(float, SWEEP)) <= {a["budget"] for a in answers}:
        raise SystemExit(f"bench: {lines} has not all budgets")
    return step, answers
