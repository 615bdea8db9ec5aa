#!/usr/bin/env python3
"""PyTorch's plans on steps that have the names of its nodes, priced and applied like ours.

test/Inputs/named has such steps of three layers, and what its partitioner keeps of them
at five budgets; see tools/dev/remat_torch.py. Two budgets by default, all with --all.
"""
import json
import pathlib
import tempfile

from _suite import ALL, BUILD, INPUTS, Suite, command
import bench_remat
import named_plans
import run_step

# What our plan may cost over PyTorch's at its very bytes; or over, as a share of the step.
RATIO, EXCESS = 1.05, 0.003
DEFAULT_BUDGETS = (0.25, 0.75)
CLEAN = "canonicalize,cse,canonicalize"


def check_import(suite, step, name, answer):
    """Every name is found and weighs what PyTorch says, in both orders."""
    late, ordered = step.named(answer), step.named(answer, in_its_order=True)
    suite.check(f"{name}: names are found", late.unmapped <= 0.01 * answer["bytes"], late.unmapped)
    suite.check(f"{name}: bytes are PyTorch's", abs(late.saved - answer["bytes"]) <= 0.01 * answer["bytes"],
                f"{late.saved} and {answer['bytes']}")
    suite.check(f"{name}: the order changes no price", (late.saved, late.cost) == (ordered.saved, ordered.cost),
                f"{late} and {ordered}")
    return late


def check_applied(suite, step, folder, name, answer):
    """What leaves runs the same contractions again as PyTorch's graph, and keeps its promise."""
    base = bench_remat.contraction_flops(run_step.read(step.step))
    for which, options in zip(("late", "in its order"), step.write_names(answer)):
        done = step.rematerialize(options)
        again = bench_remat.contraction_flops(done.text) - base
        suite.check(f"{name}, {which}: contractions that run again", again == answer["flops"],
                    f"{again} and {answer['flops']}")
        code, _, error = command([
            BUILD / "bin" / "mem-opt", folder / "out.mlir", "-o", folder / "clean.mlir",
            f"--pass-pipeline=builtin.module({CLEAN},memopt-verify-plan,memopt-to-linalg,{CLEAN},"
            "memopt-verify-plan{remove=true})"])
        suite.check(f"{name}, {which}: the promise is kept", code == 0, error[:500])


def check_ours(suite, step, name, late, ladder, step_time):
    ours = min(p.cost for p in ladder if p.saved <= late.saved)
    suite.check(f"{name}: ours costs no more at its bytes",
                ours <= RATIO * late.cost or ours - late.cost <= EXCESS * step_time, f"{ours} and {late.cost}")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for path in sorted((INPUTS / "named").glob("*.mlir.zst")):
            base = path.name.removesuffix(".mlir.zst")
            unpacked = folder / "step.mlir"
            unpacked.write_text(run_step.read(path))
            step = named_plans.Step(BUILD / "bin" / "mem-opt", folder, unpacked)
            ladder = step.ladder("h200")
            step_time = step.rematerialize("saved-budget=100%").attribute("step_picoseconds")
            for line in run_step.read(path.with_name(f"{base}.json.zst")).splitlines():
                answer = json.loads(line)
                if not ALL and answer["budget"] not in DEFAULT_BUDGETS:
                    continue
                name = f"{base} at {answer['budget']}"
                late = check_import(suite, step, name, answer)
                check_applied(suite, step, folder, name, answer)
                check_ours(suite, step, name, late, ladder, step_time)
    suite.close()


if __name__ == "__main__":
    main()
