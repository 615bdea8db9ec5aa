#!/usr/bin/env python3
"""Launches of one layer of GPT-2, ViT, LLaMA and RoBERTa: the step of two layers less that of one,
forward and backward, beside the ops of eager PyTorch (test/Gpu/launches_torch.json).

`--write` writes the table of docs/gpu-kernels.md anew."""
import json
import re

from _gpu_code import GpuCode, plan
from _gpu_page import check_section, table
from _suite import ROOT, Suite

TORCH = ROOT / "test" / "Gpu" / "launches_torch.json"
PARTS = ("forward", "backward")
NUMBER = re.compile(r"^\s*(%\w+) = llvm\.mlir\.constant\((\d+) : i64\)")
PLACE = re.compile(r"^\s*(%\w+) = llvm\.getelementptr %arg1\[(%?\w+)\]")


def calls(code):
    """Of each launch ("kernel") or call of cuBLASLt ("product"), of which a product may be several: which,
    and the arena's offsets that it is given."""
    at, numbers, given = {"%arg1": 0}, {}, set()
    products = iter(code.description()["products"])
    for line in code.host():
        if number := NUMBER.match(line):
            numbers[number[1]] = int(number[2])
        elif place := PLACE.match(line):
            at[place[1]] = numbers[place[2]] if place[2][0] == "%" else int(place[2])
        elif store := re.match(r"\s*llvm\.store (%\w+),", line):
            given.add(at.get(store[1]))
        elif "llvm.call" in line:
            is_product = "@memopt_gpu_gemm" in line
            if is_product:
                given = {at.get(v) for v in re.findall(r"%\w+", line)}
            for _ in range(next(products)["calls"] if is_product else 1):
                yield ("product" if is_product else "kernel"), given
            given = set()


def count(name):
    """Kernels and products of the forward, which ends where the loss is made, and of the backward."""
    code = GpuCode(plan(name))
    listed = list(calls(code))
    loss = code.description()["results"][0]["offset"]
    end = max(i for i, (_, places) in enumerate(listed) if loss in places) + 1
    return [(sum(kind == "kernel" for kind, _ in part), sum(kind == "product" for kind, _ in part))
            for part in (listed[:end], listed[end:])]


def main():
    suite = Suite()
    torch = json.loads(TORCH.read_text())
    rows = []
    for model, ops in torch.items():
        if model == "versions":
            continue
        one, two = count(f"launches/{model}_l1"), count(f"launches/{model}_l2")
        ours = [[b - a for a, b in zip(*parts)] for parts in zip(one, two)]
        launches = sum(map(sum, ours))
        launching, all_ops = (sum(ops[part][what] for part in PARTS) for what in ("launches", "all"))
        suite.check(f"{model}: no more launches than PyTorch", launches <= launching, f"{launches}, {launching} ops that launch")
        suite.check(f"{model}: fewer launches than PyTorch has ops", launches < all_ops, f"{launches}, {all_ops} ops")
        rows.append([model, *(f"{k} + {p}" for k, p in ours), launches,
                     *(ops[part]["launches"] for part in PARTS), launching, all_ops])
    head = ["model", "forward: kernels + products", "backward: kernels + products", "launches",
            "PyTorch forward", "PyTorch backward", "PyTorch", "with views"]
    check_section(suite, "launches", table(head, rows))
    suite.close()


if __name__ == "__main__":
    main()
