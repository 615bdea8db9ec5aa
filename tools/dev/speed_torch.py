#!/usr/bin/env python3
"""One model of tools/capture/models/speed_models.py in eager PyTorch, a step for each line
of standard input: speed_torch.py MODEL ATTENTION THREADS.

Answers each line with a JSON object: seconds of forward and backward on the clock, and of all
threads of the process together. The first answer is about the process: versions, and the most
bytes that a step's tensors take at once, parameters and inputs apart.
"""
import json
import os
import pathlib
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
CAPTURE = pathlib.Path(__file__).resolve().parents[1] / "capture"
sys.path[:0] = [str(CAPTURE / "models")]

import speed_models  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402


def step(module, inputs):
    """The clock is read from a state without gradients to one with them."""
    for parameter in module.parameters():
        parameter.grad = None
    wall, cpu = time.perf_counter(), time.process_time()
    module(*inputs).backward()
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def peak_bytes(module, inputs):
    """The most bytes alive at once within a step, from the allocator's events."""
    from torch.profiler import ProfilerActivity, profile
    step(module, inputs)
    for parameter in module.parameters():
        parameter.grad = None
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        module(*inputs).backward()
    alive = peak = 0
    for event in sorted(run.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            alive += event.nbytes()
            peak = max(peak, alive)
    return peak


def main():
    model, attention, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    module, inputs = getattr(speed_models, model)(attention=attention)
    about = {"versions": f"PyTorch {torch.__version__}, transformers {transformers.__version__}",
             "peak_bytes": peak_bytes(module, inputs)}
    print(json.dumps(about), flush=True)
    for _ in sys.stdin:
        print(json.dumps(step(module, inputs)), flush=True)


if __name__ == "__main__":
    main()
