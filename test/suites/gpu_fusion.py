#!/usr/bin/env python3
"""Bytes that more fusion could avoid in one layer of GPT-2, ViT, LLaMA and RoBERTa: pairs of
elementwise kernels and row reductions of the plan that compute on the same points, of which one
reads what the other writes, with no kernel that must run in between. At most a tenth.

`--write` writes the table of docs/gpu-kernels.md anew."""
import _fusion
from _gpu_code import PIPELINES
from _gpu_page import check_section, table
from _kernels import optimize
from _suite import Suite
from cpu_corpus_kernels import read


def measure(name):
    """Pairs, the bytes that they move twice, and those of all such kernels."""
    formed = optimize(read(name), f"--memopt-pipeline={PIPELINES['exact']}", "--memopt-form-kernels")
    pairs = [bytes_ for _, _, bytes_ in _fusion.missed(formed)]
    kernels = [k for k in _fusion.kernels_of(formed) if k.kind in _fusion.ROWWISE]
    tensors = [t for k in kernels for t in [*k.reads.values(), *k.writes.values()] if t.startswith("tensor")]
    return len(pairs), sum(pairs), sum(map(_fusion.bytes_of, tensors))


def self_test(suite):
    """A pair is found, unless a kernel stands between or they have other points."""
    kernel = "    %{} = memopt.kernel {} ins({} : {}) outs(%e : tensor<8xf32>) -> tensor<8xf32> {{\n"
    one, other = "tensor<8xf32>", "tensor<16xf32>"
    first = kernel.format("a", "elementwise", "%x", one)
    pair = first + kernel.format("b", "row_reduction", "%a", one)
    between = first + kernel.format("c", "contraction", "%a", one) + kernel.format("b", "elementwise", "%a, %c", f"{one}, {one}")
    points = first + kernel.format("b", "elementwise", "%a, %y", f"{one}, {other}")
    end = "    return %b : tensor<8xf32>\n"
    for name, text, want in (("a pair", pair, [32]), ("one with a product between", between, []), ("other points", points, [])):
        found = [bytes_ for *_, bytes_ in _fusion.missed(text + end)]
        suite.check(f"{name}: {want}", found == want, found)


def main():
    suite = Suite()
    self_test(suite)
    rows = []
    for model in ("gpt2", "vit", "llama", "roberta"):
        pairs, twice, moved = (b - a for a, b in zip(measure(f"launches/{model}_l1"), measure(f"launches/{model}_l2")))
        suite.check(f"{model}: what fusion could avoid", twice * 10 <= moved, f"{twice} of {moved} bytes")
        rows.append([model, f"{moved / 1e6:.1f}", pairs, f"{twice / 1e6:.1f}"])
    check_section(suite, "fusion", table(["model", "MB moved in a layer", "pairs", "MB moved twice"], rows))
    suite.close()


if __name__ == "__main__":
    main()
