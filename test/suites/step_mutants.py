#!/usr/bin/env python3
"""Whatever parses gets a result or an error: captured steps with something changed, and
steps of kinds that once went wrong.

A mutant that mem-opt reads goes through memopt-pipeline with random options and is
compiled and run as it is and as it comes out: both give the same (the loss to its bits,
where approximate code is asked for), plan and measure agree, and a refusal is an error
with a location. MEMOPT_CHECK_ALL=1 takes more mutants."""
import concurrent.futures
import json
import pathlib
import random
import re
import tempfile

import numpy as np

from _mutants import mutate
from _suite import ALL, BUILD, INPUTS, Suite, command
import run_step

STEPS = ["captured/clip_vision", "captured/deit", "captured/flax_decoder", "captured/gpt_neox", "captured/mixer",
         "captured/modernbert", "captured/qwen3", "corpus/jax/gpt", "corpus/tiny/gemma_full.rawgelu",
         "corpus/tiny/gpt2_lora", "corpus/tiny/llama_full_bf16", "corpus/tiny/llama_lora", "corpus/tiny/roberta_lora",
         "corpus/tiny/vit_full", "corpus/tiny/vit_full_drop"]
MUTANTS = 600 if ALL else 20
OPTIONS = ["", "saved-budget=0.3", "saved-budget=0.5", "saved-budget=0%", "max-overhead=5%", "peak-budget=200KiB",
           "peak-budget=1MiB", "approximate=true", "approximate=true saved-budget=0.4"]
# A rounding error of the largest result may be all that a small one consists of.
TOLERANCE, FLOOR, NARROW = 1e-4, 1e-8, 5e-2


def generic(name):
    code, out, errors = command([BUILD / "bin" / "mem-opt", "-", "--mlir-print-op-generic", "--mlir-print-local-scope"],
                                input=run_step.read(INPUTS / f"{name}.mlir.zst"))
    assert code == 0, errors
    return out


def run(path, out, *options):
    """(exit code, JSON, arrays) of mem-run."""
    code, answer, errors = command([BUILD / "bin" / "mem-run", path, "--no-cache", "--opt-level=1", "--int-range=0..1",
                                    f"--save={out}", *options])
    return code, json.loads(answer) if code in (0, 1) else errors[-400:], np.load(out) if code == 0 else None


def differences(captured, planned, exact, narrow):
    """The results that differ by more than rounding; of approximate code only the loss is compared."""
    names = captured.files if exact else ["res0"]
    values = {n: (captured[n].astype(np.float64), planned[n].astype(np.float64)) for n in names}
    largest = max([0.0] + [norm for a, _ in values.values() if np.isfinite(norm := np.linalg.norm(a))])
    for name, (a, b) in values.items():
        finite = np.isfinite(a).all()
        if not finite or not exact:
            same = np.array_equal(np.isfinite(a), np.isfinite(b)) if exact else np.array_equal(a, b, equal_nan=True)
        else:
            same = np.linalg.norm(a - b) <= max((NARROW if narrow else TOLERANCE) * np.linalg.norm(a), FLOOR * largest)
        if not same:
            yield f"{name}: {np.linalg.norm(a - b)} of {np.linalg.norm(a)}"


def fault(text, options, folder):
    """What went wrong with a step, or nothing; None where it is no MLIR."""
    step = folder / "step.mlir"
    step.write_text(text)
    code, _, errors = command([BUILD / "bin" / "mem-opt", step, "-o", "/dev/null"])
    if code == 1:
        return None
    code, _, errors = command([BUILD / "bin" / "mem-opt", step, f"--memopt-pipeline={options}", "-o", "/dev/null"])
    if code == 1 and re.search(r"step\.mlir:\d+:\d+: error: ", errors):
        # A plan that its own check refuses is a fault of ours.
        return errors[:400] if "promise is broken" in errors else ""
    if code:
        return f"mem-opt: exit {code}: {errors[-400:]}"
    code, answer, captured = run(step, folder / "captured.npz", "--measure=false")
    planned_code, planned_answer, planned = run(step, folder / "planned.npz", f"--pipeline={options}")
    if code != planned_code or code not in (0, 1):
        return f"mem-run: exit {code} and {planned_code}: {answer} {planned_answer}"
    if code:  # an index out of range, or what memopt-form-kernels refuses
        return "" if "assertion of the step" in answer["error"] else str(answer)
    if planned_answer["planned_bytes"] != planned_answer["peak_bytes"]:
        return f"planned {planned_answer['planned_bytes']}, measured {planned_answer['peak_bytes']}"
    narrow = bool(re.search(r"\b(bf16|f16)\b", text))
    return "; ".join(differences(captured, planned, "approximate" not in options, narrow))


def check_mutants(suite):
    texts = {name: generic(name) for name in STEPS}

    def check(seed):
        rng = random.Random(seed)
        name, options = rng.choice(STEPS), rng.choice(OPTIONS)
        changes, text = mutate(texts[name], seed)
        with tempfile.TemporaryDirectory() as folder:
            return f"mutant {seed} of {name} ({changes}; {options})", fault(text, options, pathlib.Path(folder))

    read = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for label, why in pool.map(check, range(MUTANTS)):
            if why is not None:
                read += 1
                suite.check(label, not why, why)
    suite.check("most mutants are MLIR", read > MUTANTS / 2, f"{read} of {MUTANTS}")


# Kinds of steps that went wrong, with what they give for x = 6 x 4 x 32 and g of the same shape.
# The gradient of a softmax, and its row sums, returned transposed; an argument returned reshaped.
RETURNED = """
#all = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (i, j)>
func.func @step(%x: tensor<6x4x32xf32>, %g: tensor<6x4x32xf32>)
    -> (tensor<f32>, tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<24x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %y = math.exp %x : tensor<6x4x32xf32>
  %loss = linalg.reduce {arith.addf} ins(%y : tensor<6x4x32xf32>) outs(%start : tensor<f32>) dimensions = [0, 1, 2]
  %empty_rows = tensor.empty() : tensor<6x4xf32>
  %rows = linalg.fill ins(%zero : f32) outs(%empty_rows : tensor<6x4xf32>) -> tensor<6x4xf32>
  %gy = arith.mulf %g, %y : tensor<6x4x32xf32>
  %s = linalg.reduce {arith.addf} ins(%gy : tensor<6x4x32xf32>) outs(%rows : tensor<6x4xf32>) dimensions = [2]
  %empty = tensor.empty() : tensor<6x4x32xf32>
  %d = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%gy, %s, %y : tensor<6x4x32xf32>, tensor<6x4xf32>, tensor<6x4x32xf32>) outs(%empty : tensor<6x4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.mulf %b, %c : f32
    %q = arith.subf %a, %p : f32
    linalg.yield %q : f32
  } -> tensor<6x4x32xf32>
  %empty_d = tensor.empty() : tensor<4x6x32xf32>
  %dt = linalg.transpose ins(%d : tensor<6x4x32xf32>) outs(%empty_d : tensor<4x6x32xf32>) permutation = [1, 0, 2]
  %empty_s = tensor.empty() : tensor<4x6xf32>
  %st = linalg.transpose ins(%s : tensor<6x4xf32>) outs(%empty_s : tensor<4x6xf32>) permutation = [1, 0]
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<6x4x32xf32> into tensor<24x32xf32>
  return %loss, %dt, %st, %flat : tensor<f32>, tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<24x32xf32>
}
"""


def returned(x, g):
    y = np.exp(x)
    s = (g * y).sum(2)
    return [y.sum(), (g * y - s[..., None] * y).transpose(1, 0, 2), s.T, x.reshape(24, 32)]


# An input that no body reads is made within another kernel.
UNREAD = """
#all = affine_map<(i, j, k) -> (i, j, k)>
func.func @step(%x: tensor<6x4x32xf32>, %g: tensor<6x4x32xf32>) -> (tensor<f32>, tensor<6x4x4xf32>, tensor<6x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce {arith.addf} ins(%x : tensor<6x4x32xf32>) outs(%start : tensor<f32>) dimensions = [0, 1, 2]
  %e = tensor.empty() : tensor<6x4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %et = tensor.empty() : tensor<6x32x4xf32>
  %xt = linalg.transpose ins(%x : tensor<6x4x32xf32>) outs(%et : tensor<6x32x4xf32>) permutation = [0, 2, 1]
  %p = linalg.batch_matmul ins(%g, %xt : tensor<6x4x32xf32>, tensor<6x32x4xf32>) outs(%init : tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
  %a = math.absf %p : tensor<6x4x4xf32>
  %b = linalg.generic {indexing_maps = [#all, affine_map<(i, j, k) -> (i, j, k)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %a : tensor<6x4x4xf32>, tensor<6x4x4xf32>) outs(%e : tensor<6x4x4xf32>) {
  ^bb0(%unread: f32, %in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    linalg.yield %square : f32
  } -> tensor<6x4x4xf32>
  return %loss, %a, %b : tensor<f32>, tensor<6x4x4xf32>, tensor<6x4x4xf32>
}
"""


def unread(x, g):
    a = np.abs(g @ x.transpose(0, 2, 1))
    return [x.sum(), a, a * a]


def check_kinds(suite):
    rng = np.random.default_rng(3)
    x, g = (rng.standard_normal((6, 4, 32)).astype(np.float32) for _ in range(2))
    for name, text, function in (("returned views", RETURNED, returned), ("unread inputs", UNREAD, unread)):
        with tempfile.TemporaryDirectory() as folder:
            step, data = pathlib.Path(folder) / "step.mlir", pathlib.Path(folder) / "data.npz"
            step.write_text(text)
            want = function(x.astype(np.float64), g.astype(np.float64))
            np.savez(data, arg0=x, arg1=g, **{f"res{i}": w.astype(np.float32) for i, w in enumerate(want)})
            for options in ([], ["--pipeline="], ["--target=emulator"]):
                code, answer, errors = command([BUILD / "bin" / "mem-run", step, "--no-cache", f"--inputs={data}",
                                                f"--expect={data}", "--rtol=1e-6", *options])
                suite.check(f"{name} {options}", code == 0, f"exit {code}: {answer} {errors[:300]}")


def main():
    suite = Suite()
    check_kinds(suite)
    check_mutants(suite)
    suite.close()


if __name__ == "__main__":
    main()
