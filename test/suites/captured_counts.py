#!/usr/bin/env python3
"""Models that recognition was not written for: every activation and norm is found.

The truth is counted by hand from each model's definition; a forward op and its
gradient are one each, at two layers:
  clip_vision   quick-GELU a layer; LayerNorm twice a layer and one before the first,
                whose output the first layer's own LayerNorm reads
  deit          erf-GELU a layer; LayerNorm twice a layer and one at the end
  flax_decoder  erf-GELU and SiLU a layer; LayerNorm and RMSNorm a layer, LayerNorm at
                the end; flax computes var as E[x^2] - E[x]^2
  gpt_neox      erf-GELU a layer; two LayerNorms a layer that read one residual, and
                one at the end
  mixer         tanh-GELU on tokens and on channels; two LayerNorms a layer. The first
                one's x is an argument, so that there is no dx, but dgamma and dbeta
  modernbert    erf-GELU, gated, a layer and one in the head; LayerNorm without bias:
                embeddings, attention in the second layer only, MLP in both, end, head
  qwen3         SiLU a layer; RMSNorm twice a layer, on each head's queries and keys,
                and at the end
"""
import json

from _suite import BUILD, INPUTS, Suite
import run_step

TRUTH = {
    "clip_vision": {"activation quick_gelu": 2, "norm layer": 5},
    "deit": {"activation gelu_erf": 2, "norm layer": 5},
    "flax_decoder": {"activation gelu_erf": 2, "activation silu": 2, "norm layer": 3, "norm rms": 2},
    "gpt_neox": {"activation gelu_erf": 2, "norm layer": 5},
    "mixer": {"activation gelu_tanh": 4, "norm layer": 4},
    "modernbert": {"activation gelu_erf": 3, "norm layer": 6},
    "qwen3": {"activation silu": 2, "norm rms": 9},
}


def with_gradients(forward):
    """The ops by name: for each forward op its gradient too."""
    ops = {}
    for name, count in forward.items():
        op, kind = name.split()
        ops[f"memopt.{op} {kind}"] = count
        ops[f"memopt.{op}_grad {kind}"] = count
    return ops


def main():
    suite = Suite()
    report = BUILD / "counts.json"
    for name, forward in TRUTH.items():
        run_step.optimize(INPUTS / "captured" / f"{name}.mlir.zst",
                          f"func.func(memopt-raise),memopt-report{{format=json file={report}}}", BUILD)
        found = json.loads(report.read_text())["memopt_ops"]
        suite.check(name, found == with_gradients(forward), f"found {found}")
    suite.close()


if __name__ == "__main__":
    main()
