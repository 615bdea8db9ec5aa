#!/usr/bin/env python3
"""Captures a training step of a PyTorch module or a JAX function as linalg.

    capture.py torch FILE.py:FUNCTION [KEY=VALUE...] --out BASE
    capture.py jax   FILE.py:FUNCTION [KEY=VALUE...] --out BASE

For torch FUNCTION(**values) returns (module, inputs) where module(*inputs) is the
loss. For jax it returns (loss, parameters, batch) where loss(parameters, *batch)
is a scalar and parameters is any tree. Writes BASE.mlir, BASE.json (the names of
arguments and results in order) and BASE.npz (arguments, the framework's own
results, and the same in float64).

--fake captures shapes only: the module is built on the meta device and no weight is
ever allocated, so that any real size fits; there is no .npz then.
--compress writes .mlir.zst instead of .mlir.

See docs/capture.md.
"""
import argparse
import ast
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def load(spec):
    """The function that FILE.py:FUNCTION names."""
    path, _, name = spec.rpartition(":")
    if not path:
        raise SystemExit(f"capture: '{spec}' is not FILE.py:FUNCTION")
    loaded = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    return getattr(module, name)


def keywords(pairs):
    """KEY=VALUE pairs; a value that is no Python literal is a string."""
    values = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        try:
            values[key] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            values[key] = value
    return values


def capture_torch(build, values, fake):
    import torch
    import torch_step
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if fake:
        with torch.device("meta"):
            module, inputs = build(**values)
        module, inputs = torch_step.as_fake(module, inputs)
    else:
        module, inputs = build(**values)
        randomize(module)
    step = torch_step.capture(module, inputs)
    single = all(a["dtype"] != "bfloat16" for a in step.arguments)
    arrays = torch_step.reference(module, inputs, step) if single and not fake else None
    return step, arrays, torch.__version__


def randomize(module):
    """Moves every parameter a little, so that no gamma is 1 and no bias 0."""
    import torch
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=generator).to(parameter.dtype))


def capture_jax(build, values, fake):
    import jax
    import jax_step
    if fake:
        raise SystemExit("capture: --fake is for torch; jax never allocates for tracing")
    loss, parameters, batch = build(**values)
    step = jax_step.capture(loss, parameters, batch)
    return step, jax_step.reference(loss, parameters, batch), jax.__version__


def write(base, step, arrays, about, compress):
    import numpy
    base.parent.mkdir(parents=True, exist_ok=True)
    about.update(args=step.arguments, results=step.results)
    base.with_name(base.name + ".json").write_text(json.dumps(about, indent=1) + "\n")
    if compress:
        subprocess.run(["zstd", "-q", "-f", "-19", "-o", f"{base}.mlir.zst"],
                       input=step.mlir.encode(), check=True)
    else:
        base.with_name(base.name + ".mlir").write_text(step.mlir)
    if arrays:
        numpy.savez_compressed(f"{base}.npz", **arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=["torch", "jax"])
    parser.add_argument("model", help="FILE.py:FUNCTION")
    parser.add_argument("values", nargs="*", help="KEY=VALUE, handed to FUNCTION")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--fake", action="store_true")
    parser.add_argument("--compress", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    run = capture_torch if options.framework == "torch" else capture_jax
    step, arrays, version = run(load(options.model), keywords(options.values), options.fake)
    about = {"model": f"{pathlib.Path(options.model).name}", "values": keywords(options.values),
             options.framework: version}
    write(options.out, step, arrays, about, options.compress)
    print(f"{options.out}: {len(step.arguments)} arguments, {len(step.results)} results, "
          f"{len(step.mlir.splitlines())} lines{'' if arrays else ', no reference'}")


if __name__ == "__main__":
    main()
