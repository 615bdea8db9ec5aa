#!/usr/bin/env python3
"""Ops of eager PyTorch, and those of them that launch a kernel, for one layer of each model of
tools/capture/models/layer_models.py: those of a step with two layers less those of one with
one layer, forward and backward apart, as JSON.

    PYTHON_WITH_TORCH tools/dev/launches_torch.py > test/Gpu/launches_torch.json

An op counts once, though PyTorch may launch several kernels for it. Views, and what only
allocates, do not launch. Shapes alone are computed: no GPU and no memory is needed.
"""
import collections
import json
import os
import pathlib
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
CAPTURE = pathlib.Path(__file__).resolve().parents[1] / "capture"
sys.path[:0] = [str(CAPTURE), str(CAPTURE / "models")]

import layer_models  # noqa: E402
import torch  # noqa: E402
import torch_step  # noqa: E402
import transformers  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

MODELS = ("gpt2", "vit", "llama", "roberta")
# Ops without a kernel whose schema does not say so.
ALLOCATES = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"}
VIEWS = {"_unsafe_view", "_reshape_alias", "detach", "lift_fresh", "is_same_size"}


def launches(op):
    """A view's results alias its operands without writing to them."""
    if op.namespace != "aten" or op.overloadpacket.__name__ in ALLOCATES | VIEWS:
        return False
    return not any(r.alias_info is not None and not r.alias_info.is_write for r in op._schema.returns)


class Count(TorchDispatchMode):
    """The names of the ops that launch, with how often, and of all of ATen's under "all"."""

    def __init__(self):
        super().__init__()
        self.ops = collections.Counter()

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        self.ops["all"] += op.namespace == "aten"
        if launches(op):
            self.ops[op.overloadpacket.__name__] += 1
        return op(*args, **(kwargs or {}))


def count(model, layers):
    with torch.device("meta"):
        module, inputs = getattr(layer_models, model)(layers=layers)
    module, inputs = torch_step.as_fake(module, inputs)
    with Count() as forward:
        loss = module(*inputs)
    with Count() as backward:
        loss.backward()
    return forward.ops, backward.ops


def main():
    table = {"versions": f"PyTorch {torch.__version__}, transformers {transformers.__version__}"}
    for model in MODELS:
        one, two = count(model, 1), count(model, 2)
        layer = [{op: n - a[op] for op, n in sorted(b.items()) if n != a[op]} for a, b in zip(one, two)]
        table[model] = {part: {"all": ops.pop("all"), "launches": sum(ops.values()), "ops": ops}
                        for part, ops in zip(("forward", "backward"), layer)}
    print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
