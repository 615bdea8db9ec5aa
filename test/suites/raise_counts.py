#!/usr/bin/env python3
"""memopt-raise misses nothing: the ops it leaves in each captured step against what
the model has, and nothing of their kind left loose.

`raise_counts.py --table` prints the table of docs/raising.md."""
import json
import re
import sys

from _raised import count
from _suite import BUILD, INPUTS, SHARED, Suite, command
import run_step

# What one model computes. `norms` and `activations` are the numbers in a model of
# that many layers; `frozen` is the number of norms before the first trained
# parameter in LoRA, which have no gradient. `left` is what stays loose by right:
# RoBERTa's classifier has a tanh of its own.
FAMILIES = {
    "vit": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="gelu_erf"),
    "gpt2": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="gelu_tanh"),
    "roberta": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="gelu_erf", left={"left tanh": 1}),
    "llama": dict(norm="rms", norms=lambda n: 2 * n + 1, kind="silu"),
    # The wrong constant of torch-mlir's tanh-GELU, forward and backward: not raised.
    "gemma": dict(norm="rms", norms=lambda n: 2 * n + 1, kind=None, left={"left tanh": 4}),
    "jax/gpt": dict(norm="layer", norms=lambda n: 2 * n, kind="gelu_erf"),
    "jax/llama": dict(norm="rms", norms=lambda n: 2 * n, kind="silu"),
    "clip": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="quick_gelu"),
    "deit": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="gelu_erf"),
    "gpt_neox": dict(norm="layer", norms=lambda n: 2 * n + 1, kind="gelu_erf"),
    # RMSNorms of the queries and keys, too.
    "qwen3": dict(norm="rms", norms=lambda n: 4 * n + 1, kind="silu"),
    "mixer": dict(norm="layer", norms=lambda n: 2 * n, kind="gelu_tanh", activations=lambda n: 2 * n),
}
# Its norms have no shift; the first block has one norm, embeddings and head have
# one each and the end one; the head has an activation.
MODERNBERT = {"layer": 6, "layer dx": 6, "layer dgamma": 6, "gelu_erf": 3, "gelu_erf grad": 3}
# Both kinds of norm and of activation in each block.
FLAX_DECODER = {"layer": 3, "layer dx": 3, "layer dgamma": 3, "layer dbeta": 3,
                "rms": 2, "rms dx": 2, "rms dgamma": 2,
                "gelu_erf": 2, "gelu_erf grad": 2, "silu": 2, "silu grad": 2}


def layers_of(stem):
    if "_l8" in stem or "_l32" in stem or "_l128" in stem:
        return int(re.search(r"_l(\d+)$", stem)[1])
    real = re.search(r"_b\d+(_t\d+)?$", stem)
    return 2 if not real else 32 if stem.startswith("llama") else 12


def expected(folder, stem):
    """What the model of a step has; dx, dgamma and dbeta where they are computed."""
    if stem == "modernbert":
        return MODERNBERT
    if stem == "flax_decoder":
        return FLAX_DECODER
    name = f"jax/{stem}" if folder == "jax" else next(f for f in FAMILIES if stem.startswith(f))
    family, layers = FAMILIES[name], layers_of(stem)
    lora = "_lora" in stem
    norm, norms = family["norm"], family["norms"](layers)
    found = {norm: norms, f"{norm} dx": norms - lora, **family.get("left", {})}
    # The mixer's first norm reads the batch.
    found[f"{norm} dx"] -= name == "mixer"
    if not lora:
        found[f"{norm} dgamma"] = norms
        if norm == "layer":
            found[f"{norm} dbeta"] = norms
    if family["kind"]:
        activations = family.get("activations", lambda n: n)(layers)
        found[family["kind"]] = found[f"{family['kind']} grad"] = activations
    return found


def check_truth(suite, stem, truth, path):
    """The truth above against the parameters and gradients the capture lists."""
    step = json.loads(path.read_text())
    is_norm = lambda name: re.search(r"(norm|ln_\w)\w*\.(weight|bias)$|\['[gbc]\d'\]$", name, re.I)
    names = [a["name"] for a in step["args"] if a["kind"] == "param" and is_norm(a["name"])]
    grads = {r["name"] for r in step["results"] if r["kind"] == "grad"}
    gains = [n for n in names if not re.search(r"bias$|\['[bc]\d'\]$", n)]
    norm = "layer" if "layer" in truth else "rms"
    suite.check(f"{stem}: {truth[norm]} norms in the model", len(gains) == truth[norm], str(len(gains)))
    suite.check(f"{stem}: their dgamma in the step",
                sum(n in grads for n in gains) == truth.get(f"{norm} dgamma", 0))


def steps():
    for place in ("corpus/tiny", "corpus/jax", "corpus/real", "captured", "layers"):
        for path in sorted((INPUTS / place).glob("*.mlir.zst")):
            yield place.split("/")[-1], path.name.removesuffix(".mlir.zst"), path


def raise_step(path, options=""):
    text = run_step.read(path)
    return command([BUILD / "bin" / "mem-opt", f"--memopt-raise={options}", "-"], input=text)


def check_accepted(suite):
    """The wrong constant counts as the tanh-GELU where its deviation is accepted: its
    forward, 6.4e-4, is not enough, its gradient, 5.2e-3, is."""
    path = INPUTS / "corpus" / "tiny" / "gemma_full.rawgelu.mlir.zst"
    for accepted, forward, gradient in (("0.0005", 0, 0), ("0.006", 2, 2)):
        code, text, errors = raise_step(path, f"accept-deviation={accepted}")
        found = count(text)
        suite.check(f"gemma, accept-deviation={accepted}", code == 0 and
                    (found.get("gelu_tanh", 0), found.get("gelu_tanh grad", 0)) == (forward, gradient),
                    f"{found} {errors[:500]}")


def check_step(suite, folder, stem, path):
    code, text, errors = raise_step(path)
    if not suite.check(f"{folder}/{stem} is raised", code == 0, errors[:2000]):
        return
    found, truth = count(text), expected(folder, stem)
    suite.check(f"{folder}/{stem}: every op", found == truth, f"{found}, not {truth}")
    remarks = re.findall(r"remark: (.*)", errors)
    wrong = "close to gelu_tanh but off by 6.4e-04, its gradient by 5.2e-03 (relative): left as it is"
    allowed = [wrong, wrong] if stem.startswith("gemma") else []
    suite.check(f"{folder}/{stem}: remarks", remarks == allowed, "; ".join(remarks))
    json_path = SHARED / "corpus" / folder / f"{stem}.json"
    if json_path.exists():
        check_truth(suite, stem, truth, json_path)


def print_table():
    """Found against what the model has, a row for each step."""
    print("| step | activations | gradients | norms | dx | dgamma | dbeta |")
    print("|---|---|---|---|---|---|---|")
    for folder, stem, path in steps():
        found, truth = count(raise_step(path)[1]), expected(folder, stem)
        kinds = [k for k in ("gelu_erf", "gelu_tanh", "quick_gelu", "silu") if k in truth]
        norms = [k for k in ("layer", "rms") if k in truth]
        cell = lambda keys, what: ", ".join(
            f"{found.get(k + what, 0)} of {truth[k + what]}{' ' + k if not what else ''}"
            for k in keys if k + what in truth) or "none"
        print(f"| {folder}/{stem} | {cell(kinds, '')} | {cell(kinds, ' grad')} | "
              + " | ".join(cell(norms, what) for what in ("", " dx", " dgamma", " dbeta")) + " |")


def main():
    if "--table" in sys.argv:
        return print_table()
    suite = Suite()
    if not (SHARED / "corpus").exists():
        suite.skip("the models' own lists of parameters", "../shared/corpus is not there")
    for folder, stem, path in steps():
        check_step(suite, folder, stem, path)
    check_accepted(suite)
    suite.close()


if __name__ == "__main__":
    main()
