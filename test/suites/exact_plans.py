#!/usr/bin/env python3
"""Plans for saved bytes on steps of two layers against the optimum of an integer program: at
0.10 + k/15 of what the step keeps, k = 0..9, within 1.5 % of it, never below it, and never with a
lower bound above it.

The program reads the step's graph and prices as memopt-print-step-graph writes them. A budget
whose optimum the solver does not prove in time is open: it is held against the bound that was
proved, and skipped by name where that does not decide. With --all every small step, also after
both rewrites, and more time.
"""
import os
import tempfile
from pathlib import Path

from _suite import ALL, Suite
from remat_budgets import RAISE, find_steps, optimize, plan_of, remat
from _integer_program import Graph, Program

TOLERANCE = 1.015
SECONDS = 120 if ALL else 4
BUDGETS = [0.10 + k / 15 for k in range(10)]
DEFAULT = ("vit_full", "vit_lora", "gpt2_full", "gpt2_lora", "llama_full", "llama_lora",
           "roberta_full", "roberta_lora")
REWRITES = ("func.func(memopt-raise),memopt-approximate-activation-grad,"
            "memopt-share-norm-output,memopt-to-linalg{fence=keep}")


def read_graph(path, lowering):
    with tempfile.TemporaryDirectory() as folder:
        graph, prices = Path(folder) / "graph", Path(folder) / "prices"
        code, _, error = optimize(path, lowering,
                                  f"memopt-print-step-graph{{file={graph} prices={prices}}}")
        if code:
            raise RuntimeError(error[:500])
        return Graph(graph.read_text(), [int(p) for p in prices.read_text().split()])


def check_budget(suite, label, plan, bound, optimum):
    """Returns the plan's cost over the optimum, or None where that is open."""
    cost, promised = plan["recompute_picoseconds"], plan["lower_bound_picoseconds"]
    suite.check(f"{label}: no plan is below what the solver proved", cost >= bound * (1 - 1e-6),
                f"{cost} < {bound}")
    if optimum is None:
        if cost <= TOLERANCE * bound:
            suite.check(f"{label}: near the proved bound", True)
        else:
            suite.skip(label, f"open after {SECONDS} s: the plan costs {cost / max(1, bound):.4f} "
                              "of the bound proved so far")
        return None
    suite.check(f"{label}: the bound is one", promised <= optimum, f"{promised} > {optimum}")
    suite.check(f"{label}: the optimum is one", optimum <= cost, f"{optimum} > {cost}")
    suite.check(f"{label}: near the optimum", cost <= TOLERANCE * optimum,
                f"{cost} for {optimum} picoseconds")
    return cost / optimum if optimum else 1.0


def check_step(suite, name, path, lowering):
    program = Program(read_graph(path, lowering))
    ratios = []
    for share in BUDGETS:
        label = f"{name} at {share:.3f}"
        code, text, error = optimize(path, "memopt-mark-captured", lowering,
                                     remat(f"saved-budget={share:.9f}"))
        if code:
            # Too small for any plan: the solver must find none either.
            suite.check(f"{label} plans", "smallest feasible" in error, error[:300])
            continue
        plan = plan_of(text)
        ratios.append(check_budget(suite, label, plan,
                                   *program.solve(plan["saved_budget_bytes"], SECONDS)))
    closed = [r for r in ratios if r is not None]
    print(f"{name}: {len(closed)} of {len(ratios)} optima proved; cost over the optimum "
          f"{max(closed, default=1):.4f} at most, {sum(r == 1 for r in closed)} optimal", flush=True)


def main():
    suite = Suite()
    for name, path in find_steps().items():
        if ALL or name in DEFAULT:
            check_step(suite, name, path, RAISE)
        if ALL:
            check_step(suite, f"{name} with both rewrites", path, REWRITES)
    suite.close()


if __name__ == "__main__":
    main()
