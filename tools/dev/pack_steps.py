"""Training steps as arenas to pack, for the suite and the bench of the packer.

A step is packed as captured and as memopt-pipeline leaves it: without a budget, under
budgets of saved bytes, and at the smallest peak and a quarter above it.
"""
import json
import os
import pathlib
import re
import subprocess

PIPELINES = {
    "captured": None,
    "pipeline": "",
    "approximate": "approximate=true",
    "saved-budget=0.6": "saved-budget=0.6",
    "saved-budget=0.3": "saved-budget=0.3 approximate=true",
    "smallest peak": "peak-budget={least}",
    "smallest peak x 1.25": "peak-budget={more}",
}


def _mem_opt(build, step, passes):
    command = [build / "bin" / "mem-opt", step, f"--pass-pipeline=builtin.module({','.join(passes)})",
               "-o", os.devnull]
    return subprocess.run(command, capture_output=True, text=True)


def smallest_peak(build, step):
    """Bytes of the smallest peak budget, from the message that refuses 1 byte."""
    done = _mem_opt(build, step, ["memopt-pipeline{fence=keep peak-budget=1}"])
    return int(re.search(r"smallest feasible budget: (\d+) bytes", done.stderr)[1])


def print_graph(build, step, variant, graph):
    """Writes the step graph of a variant of a step; (exit code, errors)."""
    options = PIPELINES[variant]
    if options is not None and "{" in options:
        least = smallest_peak(build, step)
        options = options.format(least=least, more=least * 5 // 4)
    passes = [] if options is None else [f"memopt-pipeline{{fence=keep {options}}}"]
    done = _mem_opt(build, step, passes + [f"memopt-print-step-graph{{file={graph}}}"])
    return done.returncode, done.stderr


def pack(build, graphs):
    """What pack-steps prints for files of step graphs: a dictionary each."""
    done = subprocess.run([build / "bin" / "pack-steps", *graphs], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shipped_steps(inputs):
    """The steps that the tree carries, by name."""
    return {p.name.removesuffix(".mlir.zst"): pathlib.Path(p)
            for folder in ("corpus/tiny", "corpus/jax", "captured", "corpus/real", "layers")
            for p in sorted((inputs / folder).glob("*.mlir.zst"))}
