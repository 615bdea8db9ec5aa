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
TORCH = ROOT / "tools" / "dev" / "gpu_torch.py"
TORCH_PYTHON = BUILD / "capture-venv" / "bin" / "python"
SKIPPED = ("no PyTorch", "PyTorch without a GPU")
N = 256
MODEL = """
def make(n=4):
    import torch

    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(n, n)

        def forward(self, x):
            return self.layer(x).square().mean()

    return Loss(), (torch.ones(2, n),)


def needs_more():
    import no_such_module
"""


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


def torch_side(suite):
    """What gpu_torch.py does with a model, on a processor where PyTorch is installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "models").mkdir()
        (folder / "models" / "m.py").write_text(MODEL)
        model = folder / "m.model.json"
        model.write_text(json.dumps({"file": "models/m.py", "function": "make", "arguments": {"n": 8}}))
        code, out, error = command([sys.executable, TORCH, model])
        found = json.loads(out.splitlines()[-1]) if code == 0 else {}
        suite.check("without PyTorch or a GPU it says so", found.get("skipped") in SKIPPED, error or out)
        python = TORCH_PYTHON
        if not python.exists():
            return suite.skip("PyTorch's times", f"no {python}")
        code, out, error = command([python, TORCH, model, "cpu"])
        found = json.loads(out.splitlines()[-1]) if code == 0 else {}
        suite.check("PyTorch, eager", found.get("eager", {}).get("seconds_per_step", 0) > 0, error or out)
        suite.check("PyTorch, compiled", "compiled" in found, error or out)
        model.write_text(json.dumps({"file": "models/m.py", "function": "needs_more"}))
        code, out, error = command([python, TORCH, model, "cpu"])
        suite.check("what a model needs and is not there is named",
                    code == 0 and "no_such_module" in json.loads(out.splitlines()[-1]).get("skipped", ""), error or out)


def main():
    suite = Suite()
    w = np.linspace(-1, 1, N, dtype=np.float32)
    x = np.linspace(3, 5, N, dtype=np.float32)
    dot = w.astype(np.float64) @ x
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good = write_step(folder, "good", gpu_step(N), w, x, dot)
        (folder / "good.py").write_text(MODEL)
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
        suite.check("PyTorch", step.get("pytorch", {}).get("skipped") in SKIPPED, step)
        suite.check("what is known is in a file",
                    json.loads((folder / "check" / "gpu-check.json").read_text()) == found)
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
        suite.check("a fault, which takes nothing else along", set(steps) == {"a_wrong", "b_allocates", "c_faults"}
                    and "kernel dot" in steps.get("c_faults", {}).get("error", ""), steps)
        code, found, error = command([sys.executable, SCRIPT, "run", folder / "nothing"])
        suite.check("no library", code == 1 and "libmemopt_cuda_runtime.so" in found, error)
    torch_side(suite)
    suite.close()


if __name__ == "__main__":
    main()
