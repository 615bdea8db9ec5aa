#!/usr/bin/env python3
"""What PyTorch's partitioner keeps and runs again: remat_torch.py MODEL [--step FILE]
[--layers N] BUDGET...

Prints a JSON object for each activation_memory_budget: bytes kept from the forward for
the backward, FLOPs of the contractions that run twice, seconds that partitioning took;
`keep`, name and bytes of each storage kept, and `order`, the names of what the backward
runs. --step writes the step with these names as locations; what some budget keeps
although the graph computes it after the loss stands before the loss there.

The joint graph is the one that torch.compile would partition (inductor's decompositions,
eager attention); all tensors are fake, so that any size fits. The models are those of
test/Inputs/corpus/real, and the uniform chain.
"""
import argparse
import copy
import functools
import json
import math
import os
import pathlib
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
CAPTURE = pathlib.Path(__file__).resolve().parents[1] / "capture"
sys.path[:0] = [str(CAPTURE), str(CAPTURE / "models")]

import named_step  # noqa: E402
import remat_chain  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import transformers_models as models  # noqa: E402
import torch_step  # noqa: E402
from torch._functorch import config, partitioners  # noqa: E402
from torch._functorch.aot_autograd import aot_function  # noqa: E402
from torch._inductor.decomposition import select_decomp_table  # noqa: E402

EAGER = dict(attn_implementation="eager")


class Done(Exception):
    """The joint graph was partitioned; nothing is to be compiled."""


def vit(layers=12, lora=False):
    config_ = transformers.ViTConfig(num_labels=1000, num_hidden_layers=layers, hidden_dropout_prob=0.0,
                                     attention_probs_dropout_prob=0.0, **EAGER)
    model = transformers.ViTForImageClassification(config_)
    if lora:
        import peft
        targets = sorted({name.rsplit(".", 1)[-1] for name, _ in model.named_modules()}
                         & {"query", "value", "q_proj", "v_proj"})
        model = peft.get_peft_model(model, peft.LoraConfig(
            r=8, lora_alpha=16, lora_dropout=0.0, target_modules=targets, bias="none",
            init_lora_weights=False), autocast_adapter_dtype=False)
    return (models.Loss(model.train(), "pixel_values"),
            (torch.randn(64, 3, 224, 224), torch.randint(0, 1000, (64,))))


def roberta(layers=12):
    config_ = transformers.RobertaConfig(
        vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5,
        num_hidden_layers=layers, num_labels=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **EAGER)
    model = transformers.RobertaForSequenceClassification(config_)
    return (models.Loss(model.train(), "input_ids"),
            (torch.randint(3, 50265, (32, 128)), torch.randint(0, 2, (32,))))


def gpt2(layers=12):
    config_ = transformers.GPT2Config(n_layer=layers, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                                      use_cache=False, **EAGER)
    return models._causal(transformers.GPT2LMHeadModel(config_), 8, 1024, config_.vocab_size)


def llama(layers=32, length=512):
    return models.llama(length=length, layers=layers, hidden=4096, intermediate=11008, heads=32,
                        vocabulary=32000, bf16=True, lora=True)


class UniformChain(torch.nn.Module):
    """The step of remat_chain.py: its output and not a loss, so that the gradient comes in."""

    def __init__(self, layers):
        super().__init__()
        self.x = torch.nn.Parameter(torch.randn(remat_chain.ROWS, remat_chain.WIDTH))
        weight = lambda: torch.nn.Parameter(torch.randn(remat_chain.WIDTH, remat_chain.WIDTH))
        self.weights = torch.nn.ParameterList(weight() for _ in range(layers))

    def forward(self):
        h = self.x
        for weight in self.weights:
            h = torch.nn.functional.gelu(h @ weight)
        return h


MODELS = {"uniform_chain": lambda layers=32: (UniformChain(layers), ()), "vit_full_b64": vit, "vit_lora_b64": functools.partial(vit, lora=True),
          "roberta_full_b32_t128": roberta, "gpt2_full_b8_t1024": gpt2,
          "llama_lora_bf16_b1_t512": functools.partial(llama, length=512),
          "llama_lora_bf16_b1_t2048": functools.partial(llama, length=2048)}


def elements(node):
    return math.prod(node.meta["val"].shape)


def contraction_flops(graph):
    """2 b m n k for every matrix product: 2 |C| k, k the last axis of the left operand."""
    total = 0
    for node in graph.nodes:
        name = getattr(node.target, "__name__", "").split(".")[0] if node.op == "call_function" else ""
        if name in ("mm", "bmm"):
            total += 2 * elements(node) * node.args[0].meta["val"].shape[-1]
        elif name in ("addmm", "baddbmm"):
            total += 2 * elements(node) * node.args[1].meta["val"].shape[-1]
    return total


def storages_kept(forward, results):
    """(name, bytes) of storages among the forward's outputs after its own results that are
    not arguments'."""
    nodes = list(forward.graph.nodes)
    def storage(node):
        return node.meta["val"].untyped_storage()
    tensors = [n for n in nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    arguments = {storage(n)._cdata for n in tensors if n.op == "placeholder"}
    kept = {}
    for node in nodes[-1].args[0][results:]:
        if isinstance(getattr(node, "meta", {}).get("val"), torch.Tensor):
            value, key = node.meta["val"], storage(node)._cdata
            if key not in arguments:
                known = kept.get(key, (0, ""))[0]
                size = max(known, value.numel() * value.element_size())
                kept[key] = (size, named_step.base_of(node).name)
    return [(name, size) for size, name in kept.values()]


def partition(joint, inputs, budget, keywords):
    before = contraction_flops(joint.graph)
    with config.patch(activation_memory_budget=budget):
        start = time.process_time()
        forward, backward = partitioners.min_cut_rematerialization_partition(
            copy.deepcopy(joint), inputs, **keywords)
        seconds = time.process_time() - start
    again = contraction_flops(forward.graph) + contraction_flops(backward.graph) - before
    keep = storages_kept(forward, keywords["num_fwd_outputs"])
    return {"budget": budget, "bytes": sum(size for _, size in keep), "keep": keep,
            "order": [n.name for n in backward.graph.nodes if n.op == "call_function"],
            "flops": again, "cpu_seconds": seconds, "nodes": len(joint.graph.nodes),
            "versions": f"PyTorch {torch.__version__}, transformers {transformers.__version__}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--step", type=pathlib.Path)
    parser.add_argument("--layers", type=int)
    parser.add_argument("budgets", nargs="*", type=float)
    options = parser.parse_intermixed_args()
    with torch.device("meta"):
        module, inputs = MODELS[options.model](**({"layers": options.layers} if options.layers else {}))
    module, inputs = torch_step.as_fake(module, inputs)
    torch_step.freeze_unused(module, inputs)
    functional = torch_step.Functional(module)
    names = [name for name, _ in [*functional.named_parameters(), *functional.named_buffers()]]
    state = [*functional.parameters(), *functional.buffers()]

    def step(*values):
        given = dict(zip(names, values))
        return torch.func.functional_call(functional, given, values[len(names):])[0]

    def each_budget(joint, joint_inputs, **keywords):
        kept = set()
        for budget in options.budgets:
            answer = partition(joint, joint_inputs, budget, keywords)
            kept.update(name for name, _ in answer["keep"])
            print(json.dumps(answer), flush=True)
        if options.step:
            named_step.move_forward(joint.graph, kept)
            options.step.write_text(named_step.lower(joint))
        raise Done

    keep = lambda graph, _: graph
    try:
        aot_function(step, fw_compiler=keep, bw_compiler=keep, partition_fn=each_budget,
                     decompositions=select_decomp_table())(*state, *inputs)
    except Done:
        pass


if __name__ == "__main__":
    main()
