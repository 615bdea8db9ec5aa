#!/usr/bin/env python3
"""tools/dev/gpu-check from end to end on the emulator: what it brings along, runs and reports."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from _gpu_step import ALLOCATES, gpu_step
from _suite import BUILD, ROOT, Suite, command

SCRIPT = ROOT / "tools" / "dev" / "gpu-check"
N = 256


def write_step(folder, name, text, w, x, dot):
    (folder / f"{name}.mlir").write_text(text)
    np.savez(folder / f"{name}.npz", arg0=w, arg1=x, res0=np.float32(dot), res64_0=dot, res1=x,
             res2=np.int64(6))
    return folder / f"{name}.mlir"


def check(folder, steps, *options):
    """Prepares a folder and runs it by its own copy of the script."""
    target = folder / "check"
    code, _, error = command([sys.executable, SCRIPT, "prepare", target, *steps,
                              "--target=emulator", f"--build={BUILD}", *options])
    if code:
        return code, None, error
    code, out, error = command([sys.executable, target / "gpu-check", "run", target,
                                "--target=emulator"])
    return code, json.loads(out) if out else None, error


def main():
    suite = Suite()
    w = np.linspace(-1, 1, N, dtype=np.float32)
    x = np.linspace(3, 5, N, dtype=np.float32)
    dot = w.astype(np.float64) @ x
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good = write_step(folder, "good", gpu_step(N), w, x, dot)
        (folder / "good.py").write_text("def make():\n    raise NotImplementedError\n")
        code, found, error = check(folder, [good])
        step = found["steps"].get("good", {}) if found else {}
        suite.check("runs", code == 0 and found["ok"], error or found)
        suite.check("results", step.get("right") == step.get("results") == 3, step)
        suite.check("planned is measured",
                    step.get("planned_bytes") == step.get("peak_bytes") == 64 + 4 * N + 8, step)
        suite.check("in the step", step.get("in_step", {}).get("launches") == 1, step)
        suite.check("times", step.get("seconds_per_step", 0) > 0
                    and step.get("graph_seconds_per_step", 0) > 0
                    and [k["kernel"] for k in step.get("kernels", [])] == ["dot"], step)
        suite.check("PyTorch", "skipped" in step.get("pytorch", {}), step)
        suite.check("the device", found and found["device"]["name"] == "mem-opt emulator", found)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = write_step(folder, "a_wrong", gpu_step(N), w, x, dot + 1)
        allocates = write_step(folder, "b_allocates", gpu_step(N, extra=ALLOCATES), w, x, dot)
        faults = write_step(folder, "c_faults", gpu_step(N, bytes_=4), w, x, dot)
        code, found, error = check(folder, [wrong, allocates, faults])
        steps = found["steps"] if found else {}
        suite.check("what is wrong is not ok", code == 1 and found and not found["ok"], error)
        suite.check("a wrong result", steps.get("a_wrong", {}).get("right") == 2, steps)
        suite.check("an allocation", steps.get("b_allocates", {}).get("ok") is False
                    and steps["b_allocates"]["in_step"]["allocations"] == 1, steps)
        suite.check("a fault", "kernel dot" in steps.get("c_faults", {}).get("error", ""), steps)
        code, found, error = command([sys.executable, SCRIPT, "run", folder / "nothing"])
        suite.check("no library", code == 1 and "libmemopt_cuda_runtime.so" in found, error)
    suite.close()


if __name__ == "__main__":
    main()
