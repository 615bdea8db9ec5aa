#!/usr/bin/env python3
"""./dev demo: mem-opt on a real training step, with every figure made on the spot.

1. ViT-B/16 of transformers at batch 64, as PyTorch's export gave it: the activations
   saved for the backward, before and after memopt-pipeline.
2. The same model with two layers of width 64, executed: the step as captured and both
   rewritten ones, lowered by upstream MLIR alone, against PyTorch's own loss and
   gradients.
3. That model trained by each of them, from the same weights on the same batch.

Exits with 1 where anything is not as it must be, and says what.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import compare_results
import run_step
import unpacked

INPUTS = run_step.ROOT / "test" / "Inputs" / "corpus"
REAL = INPUTS / "real" / "vit_full_b64.mlir.zst"
TINY = INPUTS / "tiny" / "vit_full.mlir.zst"
REFERENCE = INPUTS / "tiny" / "vit_full"
EXACT = "memopt-pipeline"
APPROXIMATE = "memopt-pipeline{approximate=true}"
STEPS = {"as captured": None, EXACT: EXACT, "approximate=true": APPROXIMATE}
# The stages of the approximate pipeline up to its codes.
CODES = "func.func(memopt-raise),memopt-approximate-activation-grad"
RATE, ITERATIONS = 0.02, 40

problems = []


def require(ok, problem):
    if not ok:
        problems.append(problem)


def heading(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


# -- saved activations -------------------------------------------------------

def reports(build):
    """The memory reports of the real step: as captured, and after both pipelines."""
    text = run_step.read(REAL)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "before.json"), pathlib.Path(folder, "after.json")
        for options in ("", "approximate=true "):
            out = run_step.optimize(text, f"{EXACT}{{{options}report-format=json "
                                          f"report-before={before} report-after={after}}}", build)
            require_upstream(out, f"{EXACT}{{{options.strip()}}} on {REAL.name}")
            found.append(json.loads(after.read_text()))
        return [json.loads(before.read_text()), *found]


def require_upstream(text, what):
    """What comes out is read by a stock mlir-opt, which knows no memopt op."""
    done = subprocess.run([run_step.LLVM / "bin" / "mlir-opt", "-", "-o", "/dev/null"],
                          input=text.encode(), capture_output=True)
    require(done.returncode == 0, f"{what}: a stock mlir-opt refuses the result: "
                                  f"{done.stderr.decode(errors='replace')[:300]}")


def by_type(report):
    """{type: (count, bytes)} of what weighs, largest first."""
    groups = {}
    for saved in report["saved"]:
        if not saved["returned"]:
            count, size = groups.get(saved["type"], (0, 0))
            groups[saved["type"]] = (count + 1, size + saved["bytes"])
    return groups


def saved_table(build):
    heading("1. What one step of ViT-B/16 keeps between forward and backward "
            "(batch 64, float32, all 86 M parameters trained)")
    columns = reports(build)
    groups = [by_type(r) for r in columns]
    types = {t: max(g.get(t, (0, 0))[1] for g in groups) for t in set().union(*groups)}
    print(f"   {'':28}" + "".join(f"{name:>22}" for name in STEPS))
    small = [0] * len(groups)
    for type_ in sorted(types, key=lambda t: (-types[t], t)):
        sizes = [g.get(type_, (0, 0)) for g in groups]
        if types[type_] < 1e8:
            small = [s + size for s, (_, size) in zip(small, sizes)]
            continue
        print(f"   {type_:28}" + "".join(
            f"{f'{n} x  {size / 1e9:.2f} GB' if n else '-':>22}" for n, size in sizes))
    print(f"   {'smaller ones':28}" + "".join(f"{s / 1e9:>19.2f} GB" for s in small))
    totals = [r["saved_bytes"] for r in columns]
    print(f"   {'saved activations':28}" + "".join(f"{t / 1e9:>19.2f} GB" for t in totals))
    print(f"   {'of the captured step':28}" + "".join(f"{100 * t / totals[0]:>20.1f} %" for t in totals))
    print("""
   as captured        what the exported step itself keeps, storages only: PyTorch eager's figure
   memopt-pipeline    norms' gradients read the normalised output, which the next linear keeps
   approximate=true   and GELU's gradient reads a 2-bit code of each input in place of the input""")
    require(totals[1] <= totals[0], "memopt-pipeline saves more than the captured step")
    require(totals[2] < 0.75 * totals[0], "approximate=true keeps three quarters of the captured step or more")


# -- execution ---------------------------------------------------------------

def compiled(build):
    """Each version of the tiny step, by name."""
    steps = {}
    for name, pipeline in STEPS.items():
        text = run_step.read(TINY)
        if pipeline:
            text = run_step.optimize(text, pipeline, build)
            require_upstream(text, f"{pipeline} on {TINY.name}")
        steps[name] = run_step.compile_step(text, build=build)
    return steps


def without_codes(build, arrays):
    """Results of the approximate step with no code in it: each GELU gradient compares
    the input itself."""
    text, count = unpacked.unpack(run_step.optimize(TINY, CODES, build))
    require(count > 0, "no activation gradient reads a code")
    step = run_step.compile_step(run_step.optimize(text, EXACT, build), build=build)
    return run_step.run(step, run_step.arguments_of(arrays, step))


def gradients(results, exact):
    """All gradients as one vector, and the worst relative difference of one of them
    from float64 with its index. Gradients that are zero in exact arithmetic (a key
    bias before a softmax) have no relative difference."""
    norms = {i: np.linalg.norm(exact[i]) for i in range(1, len(exact))}
    largest = max(norms.values())
    worst = max((np.linalg.norm(results[i] - exact[i]) / norm, i)
                for i, norm in norms.items() if norm > 1e-10 * largest)
    return np.concatenate([np.asarray(r, np.float64).ravel() for r in results[1:]]), worst


def execution_table(build, steps, arrays, names):
    heading("2. What the same model computes with two layers of width 64, on this CPU")
    exact = [arrays[f"res64_{i}"] for i in range(len(names))]
    truth = np.concatenate([e.ravel() for e in exact[1:]])
    rows = {"PyTorch, float32": ([arrays[f"res{i}"] for i in range(len(names))], None)}
    for name, step in steps.items():
        results, seconds = run_step.run_timed(step, run_step.arguments_of(arrays, step))
        rows[name] = (results, seconds * 1e3)
    captured = rows["as captured"][0]
    print(f"   {'':20}{'loss':>14}  {'its bits':10}{'worst gradient':>15}{'all':>9}{'ms':>6}  worst in")
    for name, (results, ms) in rows.items():
        vector, (worst, where) = gradients(results, exact)
        together = np.linalg.norm(vector - truth) / np.linalg.norm(truth)
        same = compare_results.same_bits(results[0], captured[0])
        bits = "" if ms is None else "same" if same else "DIFFER"
        print(f"   {name:20}{float(results[0]):>14.9f}  {bits:10}{worst:>15.1e}{together:>9.1e}"
              f"{'' if ms is None else f'{ms:.0f}':>6}  {names[where]}")
        if ms is not None:
            require(same, f"{name}: the loss is not the captured step's to the bit")
    judge(rows, without_codes(build, arrays), arrays)
    print(f"""
   loss             in float64 PyTorch gives {float(exact[0]):.9f}
   its bits         whether the loss has the bits of the captured step's
   worst gradient   the largest |g - g64| / |g64| of one gradient; g64 is PyTorch's in float64
   all              the same for all gradients as one vector
   With approximate=true GELU's slope is one of four numbers, so gradients differ by design, the
   more so here, where weights are random and most inputs lie near the middle of the steps.""")


def judge(rows, plain, arrays):
    """Rounding is all that the exact versions may add, and all that codes may."""
    for name in ("as captured", EXACT):
        for check in compare_results.compare(rows[name][0], arrays):
            require(check.ok, f"{name}: {check}")
    for check in compare_results.compare(rows["approximate=true"][0],
                                         {f"res{i}": value for i, value in enumerate(plain)}):
        require(check.ok, f"approximate=true is not the step without codes: {check}")


# -- training ----------------------------------------------------------------

def train(step, arrays, trained):
    """Losses of plain gradient descent, trained[i] the argument that result i moves."""
    state = run_step.arguments_of(arrays, step)
    losses = []
    for _ in range(ITERATIONS + 1):
        results = run_step.run_here(step, state)
        losses.append(float(results[0]))
        for result, argument in trained.items():
            state[argument] = state[argument] - np.float32(RATE) * results[result]
    return losses


def training_table(steps, arrays, about):
    heading(f"3. Trained by each: {ITERATIONS} steps of plain gradient descent, rate {RATE}, on the one batch")
    position = {a["name"]: i for i, a in enumerate(about["args"])}
    trained = {i: position[r["name"]] for i, r in enumerate(about["results"]) if r["kind"] == "grad"}
    shown = range(0, ITERATIONS + 1, 10)
    print(f"   {'loss after':20}" + "".join(f"{f'{k} steps':>12}" for k in shown))
    for name, step in steps.items():
        losses = train(step, arrays, trained)
        print(f"   {name:20}" + "".join(f"{losses[k]:>12.4f}" for k in shown))
        require(losses[-1] < 0.1 * losses[0], f"{name}: the loss does not fall")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=run_step.build_dir())
    build = parser.parse_args().build.resolve()
    saved_table(build)
    arrays = dict(np.load(f"{REFERENCE}.npz"))
    about = json.loads(pathlib.Path(f"{REFERENCE}.json").read_text())
    steps = compiled(build)
    execution_table(build, steps, arrays, [r["name"] for r in about["results"]])
    training_table(steps, arrays, about)
    for problem in problems:
        print(f"PROBLEM {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    try:
        main()
    except run_step.StepError as error:
        sys.exit(f"demo: {error}")
