"""One training of the study, by mem-run alone."""
import json
import pathlib
import subprocess
import typing

import numpy as np


class Model(typing.NamedTuple):
    step: pathlib.Path   # .mlir, its names beside it
    names: dict          # "args" and "results" in order
    inputs: list         # the numbers of the batch's arguments

    @staticmethod
    def load(source, folder):
        """Unpacks BASE.mlir.zst and BASE.json of `source` into `folder`."""
        step = folder / source.name.removesuffix(".zst")
        step.write_bytes(subprocess.run(["zstd", "-dcq", source], check=True, capture_output=True).stdout)
        names = source.with_name(source.name.replace(".mlir.zst", ".json")).read_text()
        step.with_suffix(".json").write_text(names)
        names = json.loads(names)
        return Model(step, names, [i for i, a in enumerate(names["args"]) if a["kind"] == "input"])

    def shape(self, number):
        return tuple(self.names["args"][number]["shape"])


def initial_value(name, shape, random):
    """As the models' own initialisation: norms are 1, biases 0, adapters' B 0, the rest
    normal with deviation 0.02 (adapters' A: 1 / sqrt(inputs))."""
    last = name.rsplit(".", 1)[-1]
    is_norm = any(word in name for word in ("norm", "ln_1", "ln_2", "ln_f"))
    if is_norm and last == "weight":
        return np.ones(shape, np.float32)
    if last == "bias" or "lora_B" in name:
        return np.zeros(shape, np.float32)
    deviation = shape[-1] ** -0.5 if "lora_A" in name else 0.02
    return (deviation * random.normal(size=shape)).astype(np.float32)


def plain_name(name):
    """An adapted model's name of a weight, as the model without adapters has it."""
    return name.replace("base_model.model.", "").replace(".base_layer", "")


def initial_arguments(model, seed, base, constants):
    """Arguments in order. `base` maps plain names to trained values; `constants` holds the
    captured values of buffers."""
    random, arrays = np.random.default_rng(seed), {}
    for i, argument in enumerate(model.names["args"]):
        name, shape = argument["name"], tuple(argument["shape"])
        if argument["kind"] == "buffer":
            arrays[f"arg{i}"] = np.asarray(constants[name], argument["dtype"])
        elif argument["kind"] == "input":
            arrays[f"arg{i}"] = np.zeros(shape, argument["dtype"])
        else:
            arrays[f"arg{i}"] = base.get(plain_name(name), None)
            if arrays[f"arg{i}"] is None:
                arrays[f"arg{i}"] = initial_value(name, shape, random)
    return arrays


def write_batches(path, model, batches):
    np.savez(path, **{f"arg{number}": array for number, array in zip(model.inputs, batches)})


def train(program, model, folder, pipeline, arguments, batch_sets, options):
    """Runs mem-run; returns (its JSON, the parameters at the end by plain name)."""
    inputs, saved = folder / "inputs.npz", folder / "saved.npz"
    np.savez(inputs, **arguments)
    for name, batches in zip(("train", "test"), batch_sets):
        write_batches(folder / f"{name}.npz", model, batches)
    done = subprocess.run(
        [program, model.step, f"--inputs={inputs}", f"--data={folder / 'train.npz'}",
         f"--eval-data={folder / 'test.npz'}", f"--save-params={saved}", "--watch=1",
         f"--cache-dir={folder / 'cache'}", f"--pipeline=forward-results=0,1 {pipeline}",
         *options],
        capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bench: mem-run failed: {done.stderr[-2000:]}")
    with np.load(saved) as arrays:
        parameters = {plain_name(a["name"]): arrays[f"arg{i}"]
                      for i, a in enumerate(model.names["args"]) if a["kind"] == "param"}
    return json.loads(done.stdout), parameters
