#!/usr/bin/env python3
"""memopt-rematerialize under budgets: what it promises holds on the lowered step,
results keep their bits, a budget one byte too small is refused, larger budgets cost
no more, recomputations survive to LLVM IR, the same input gives the same bytes.

The long ones run with --all: every step, 20 budgets, 50 runs, the real sizes.
"""
import functools
import re
import subprocess

import numpy as np

from _suite import ALL, BUILD, INPUTS, LLVM_BIN, SHARED, Suite, command
import compare_results
import run_step

MEM_OPT = BUILD / "bin" / "mem-opt"
# Planned, as in the pipeline, on what leaves.
RAISE = "func.func(memopt-raise),memopt-to-linalg{fence=keep}"
# What other stacks do to the step, and the promise on what is left.
LOWER = "memopt-to-linalg,canonicalize,cse,canonicalize"
VERIFY = "memopt-verify-plan"
CORPUS = SHARED / "corpus" if (SHARED / "corpus").is_dir() else INPUTS / "corpus"


def optimize(source, *passes):
    """(exit code, output, errors) of mem-opt with these passes on a file or text."""
    pipeline = f"--pass-pipeline=builtin.module({','.join(p for p in passes if p)})"
    is_text = isinstance(source, str)
    return command([MEM_OPT, "-" if is_text else source, pipeline],
                   input=source if is_text else None)


def remat(goal):
    return f"memopt-rematerialize{{{goal}}}"


def plan_of(text):
    """The figures of `memopt.plan` in the text of a step."""
    entries = re.search(r"memopt\.plan = \{([^}]*)\}", text)[1]
    return {k: int(v) for k, v in re.findall(r"(\w+) = (-?\d+) : i64", entries)}


@functools.lru_cache
def smallest(path, kind):
    """The smallest budget, from the message that refuses 0 bytes; 0 where that works."""
    code, _, error = optimize(path, RAISE, remat(f"{kind}=0"))
    return int(re.search(r"smallest feasible budget: (\d+) bytes", error)[1]) if code else 0


def check_promise(suite, label, path, goal):
    """Plans, lowers and verifies; returns the plan's figures."""
    code, text, error = optimize(path, RAISE, remat(goal), VERIFY)
    if not suite.check(f"{label} plans", code == 0, error[:500]):
        return None
    code, _, error = optimize(text, LOWER, VERIFY)
    suite.check(f"{label} keeps its promise once lowered", code == 0, error[:500])
    return plan_of(text)


def check_smallest(suite, name, path):
    for kind in ("peak-budget", "saved-budget"):
        least = smallest(path, kind)
        if least == 0:
            continue
        code, text, error = optimize(path, RAISE, remat(f"{kind}={least - 1}"))
        suite.check(f"{name} {kind} one byte below the smallest",
                    code == 1 and not text and f"smallest feasible budget: {least} bytes" in error
                    and "note:" in error, error[:300])
        check_promise(suite, f"{name} {kind}={least}, the smallest", path, f"{kind}={least}")


def check_ladder(suite, name, path, steps):
    """Budgets from the smallest peak to the step's own."""
    least = smallest(path, "peak-budget")
    most = check_promise(suite, f"{name} max-overhead=0%", path, "max-overhead=0%")
    if not most:
        return
    before = None
    for i in range(steps):
        budget = least + (most["peak_bytes_before"] - least) * i // (steps - 1)
        plan = check_promise(suite, f"{name} peak-budget={budget}", path, f"peak-budget={budget}")
        if not plan:
            continue
        suite.check(f"{name} peak-budget={budget} fits", plan["peak_bytes"] <= budget, f"{plan}")
        suite.check(f"{name} peak-budget={budget} is no cheaper than its bound",
                    plan["recompute_picoseconds"] >= plan["lower_bound_picoseconds"], f"{plan}")
        if before:
            suite.check(f"{name} peak-budget={budget} costs no more than less memory",
                        plan["recompute_picoseconds"] <= before["recompute_picoseconds"])
            suite.check(f"{name} peak-budget={budget} has no smaller peak than less memory",
                        plan["peak_bytes"] >= before["peak_bytes"])
        before = plan


def arrays_of(name, step):
    """The step's arguments: those captured, or random ones where there are none."""
    npz = CORPUS / "tiny" / f"{name}.npz"
    if npz.exists():
        with np.load(npz) as arrays:
            return run_step.arguments_of(dict(arrays), step)
    generator = np.random.default_rng(0)
    return [generator.standard_normal(t.shape).astype(np.float32)
            if t.dtype in ("float32", "bfloat16", "float64")
            else np.zeros(t.shape, t.numpy) for t in step.arguments]


def check_bits(suite, name, path, goals):
    """Loss and gradients, bit by bit those of the pipeline without rematerialization."""
    def run(*passes):
        code, text, error = optimize(path, RAISE, *passes)
        if code:
            raise run_step.StepError(error[:500])
        step = run_step.compile_step(text, None, BUILD)
        return run_step.run(step, arrays_of(name, step)), text

    plain, _ = run()
    for goal in goals:
        try:
            results, text = run(remat(goal), LOWER, VERIFY + "{remove=true}")
        except run_step.StepError as error:
            suite.check(f"{name} {goal} runs", False, str(error))
            continue
        differ = [i for i, (a, b) in enumerate(zip(plain, results))
                  if not compare_results.same_bits(a, b)]
        suite.check(f"{name} {goal}: the same bits", not differ, f"results {differ}")
        check_llvm(suite, f"{name} {goal}", text)


def check_llvm(suite, label, text):
    """What the step recomputes is there in LLVM IR still: as many error functions,
    exponentials and hyperbolic tangents as the linalg step has, after LLVM's own
    common subexpression elimination."""
    lowered = run_step._tool([LLVM_BIN / "mlir-opt",
                              f"--pass-pipeline=builtin.module({run_step.PIPELINE})", "-"],
                             text, "lowering")
    ir = run_step._tool([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir", "-"], lowered, "")
    ir = run_step._tool([LLVM_BIN / "opt", "-passes=early-cse,gvn", "-S", "-"], ir, "opt")
    for op, call in (("math.erf", "erff"), ("math.exp", "expf"), ("math.tanh", "tanhf")):
        want = len(re.findall(rf"= {re.escape(op)} ", text))
        have = len(re.findall(rf"call float @{call}\(", ir))
        suite.check(f"{label}: {want} x {op} in LLVM IR", have == want, f"{have}")


def check_chain(suite):
    """On the uniform chain of 32 layers the fewest matmuls for P MiB are 35 - P."""
    path = SHARED / "cases" / "uniform_chain32.mlir"
    if not path.exists():
        suite.skip("uniform chain", "no shared cases here")
        return
    count = lambda text: text.count("linalg.matmul")
    captured = count(path.read_text())
    for peak in range(11, 36) if ALL else (11, 12, 17, 24, 35):
        code, text, error = optimize(path, remat(f"peak-budget={peak}MiB"), VERIFY, "canonicalize",
                                     "cse", "canonicalize", VERIFY)
        suite.check(f"chain {peak} MiB", code == 0 and count(text) - captured <= 35 - peak,
                    error[:300] or f"{count(text) - captured} matmuls")


def check_equal_items(suite):
    """1024 values of 4 bytes: half of them fit 2,048 bytes."""
    path = SHARED / "cases" / "equal_items1024.mlir"
    if not path.exists():
        suite.skip("equal items", "no shared cases here")
        return
    text = path.read_text()
    forward = ",".join(str(i) for i in range(1024))
    code, out, error = optimize(path, remat(f"saved-budget=2048 forward-results={forward}"))
    if suite.check("equal items plan", code == 0, error[:300]):
        plan = plan_of(out)
        suite.check("equal items: no more than 512 are kept", plan["saved_bytes"] <= 2048, f"{plan}")
        suite.check("equal items: at the bound",
                    plan["recompute_picoseconds"] == plan["lower_bound_picoseconds"], f"{plan}")


def check_determinism(suite, name, path):
    goal = f"peak-budget={smallest(path, 'peak-budget')}"
    first = None
    for i in range(50 if ALL else 4):
        threads = ["--mlir-disable-threading"] if i % 2 else []
        _, text, _ = command([MEM_OPT, path, *threads, "--pass-pipeline=builtin.module("
                              f"{RAISE},{remat(goal)},memopt-to-linalg)"])
        first = first or text
        if not suite.check(f"{name} run {i} gives the same bytes", text == first):
            return


def check_real(suite):
    for path in sorted((CORPUS / "real").glob("*.mlir.zst")):
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, text=True).stdout
        name = path.name.removesuffix(".mlir.zst")
        check_ladder(suite, name, text, 20)
        for k in range(10):
            goal = f"saved-budget={0.10 + k / 15:.9f}"
            plan = check_promise(suite, f"{name} {goal}", text, goal)
            if plan:
                ratio = plan["recompute_picoseconds"] / max(1, plan["lower_bound_picoseconds"])
                print(f"{name} {goal}: {ratio:.4f} of the bound, overhead "
                      f"{plan['recompute_picoseconds'] / plan['step_picoseconds']:.3%}")


def find_steps():
    """The small captured steps by name: the shared ones, or the committed ones unpacked."""
    if CORPUS.is_relative_to(SHARED):
        return {p.stem: p for p in sorted(CORPUS.glob("**/*.mlir"))
                if ".stablehlo" not in p.name and p.parent.name != "real"}
    folder = BUILD / "steps"
    folder.mkdir(exist_ok=True)
    steps = {}
    for packed in sorted(CORPUS.glob("*/*.mlir.zst")):
        if packed.parent.name != "real":
            path = folder / packed.name.removesuffix(".zst")
            path.write_text(run_step.read(packed))
            steps[path.stem] = path
    return steps


def main():
    suite = Suite()
    steps = find_steps()
    for name in steps if ALL else [n for n in ("vit_full", "llama_lora", "gpt") if n in steps]:
        check_smallest(suite, name, steps[name])
        if ALL or name == "vit_full":
            check_ladder(suite, name, steps[name], 20 if ALL else 6)
    for name, path in steps.items():
        goals = [f"peak-budget={smallest(path, 'peak-budget')}"] if ALL or name in (
            "vit_full_drop", "llama_lora") else []
        if ALL:
            goals += [f"saved-budget={share}" for share in (0.25, 0.5, 0.75)]
        elif name == "vit_full":
            goals = ["saved-budget=0.25"]
        if goals:
            check_bits(suite, name, path, goals)
    if "llama_lora" in steps:
        check_determinism(suite, "llama_lora", steps["llama_lora"])
    check_chain(suite)
    check_equal_items(suite)
    if ALL:
        check_real(suite)
    suite.close()


if __name__ == "__main__":
    main()
