"""How long PyTorch takes for the forward and backward of a model, eager and compiled.

    gpu_torch.py MODEL.json [DEVICE]     prints JSON; DEVICE is cuda, or cpu to try it out

MODEL.json names a Python file beside it, its function, which returns (module, inputs) with
module(*inputs) the loss, and the function's arguments: {"file", "function", "arguments"}.
"""
import importlib.util
import json
import pathlib
import statistics
import sys
import time

WARM_UP = 3
REPEATS = 20


def load(path):
    """(module, inputs) of the model; what is imported may lie beside its file."""
    model = json.loads(path.read_text())
    file = path.parent / model["file"]
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location("model", file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, model["function"])(**model.get("arguments", {}))


def time_calls(torch, device, module, call, inputs, repeats):
    """Median seconds of forward and backward, and the peak of the device's memory in bytes."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    seconds = []
    for _ in range(repeats + WARM_UP):
        module.zero_grad(set_to_none=True)
        wait()
        start = time.perf_counter()
        loss = call(*inputs)
        (loss[0] if isinstance(loss, tuple) else loss).backward()
        wait()
        seconds.append(time.perf_counter() - start)
    report = {"seconds_per_step": statistics.median(seconds[WARM_UP:])}
    if device == "cuda":
        report["peak_bytes"] = torch.cuda.max_memory_allocated()
    return report


def measure(path, device, report, repeats=REPEATS):
    """Fills in the report as far as it comes; why not further, where something is not there."""
    try:
        import torch
    except ImportError:
        report["skipped"] = "no PyTorch"
        return
    report["version"] = torch.__version__
    if device == "cuda" and not torch.cuda.is_available():
        report["skipped"] = "PyTorch without a GPU"
        return
    try:
        torch.manual_seed(0)
        module, inputs = load(path)
    except ImportError as error:
        report["skipped"] = str(error)
        return
    module = module.to(device)
    inputs = [tensor.to(device) for tensor in inputs]
    for name, wrap in (("eager", lambda m: m), ("compiled", torch.compile)):
        try:
            report[name] = time_calls(torch, device, module, wrap(module), inputs, repeats)
        except Exception as error:  # what a compiler of PyTorch's may raise is not known
            report[name] = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(report), flush=True)


def main():
    report = {}
    measure(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "cuda", report)
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
