"""How long PyTorch takes for the forward and backward of a model, eager and compiled."""
import importlib.util
import statistics
import time

WARM_UP = 3


def load(path):
    """(module, inputs) of the file's function make(): module(*inputs) is the loss."""
    spec = importlib.util.spec_from_file_location("model", path)
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    return model.make()


def measure(path, repeats):
    """Median seconds and peak bytes; why not, where PyTorch or its GPU is not there."""
    try:
        import torch
    except ImportError:
        return {"skipped": "no PyTorch"}
    if not torch.cuda.is_available():
        return {"skipped": "PyTorch without a GPU"}
    module, inputs = load(path)
    module = module.cuda()
    inputs = [tensor.cuda() for tensor in inputs]
    report = {"version": torch.__version__}
    for name, call in (("eager", module), ("compiled", torch.compile(module))):
        seconds = []
        torch.cuda.reset_peak_memory_stats()
        for _ in range(repeats + WARM_UP):
            torch.cuda.synchronize()
            start = time.perf_counter()
            module.zero_grad(set_to_none=True)
            call(*inputs).backward()
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
        report[name] = {"seconds_per_step": statistics.median(seconds[WARM_UP:]),
                        "peak_bytes": torch.cuda.max_memory_allocated()}
    return report
