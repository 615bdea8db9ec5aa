#!/usr/bin/env python3
"""Rewrites that a plan does not need are given up: the budget holds, the report says how many stayed
as they were, what is left of the rewrites is what the report without the choice has less those, and
the loss keeps its bits.
"""
import json
import tempfile
from pathlib import Path

from _suite import ALL, BUILD, Suite, command
from remat_budgets import MEM_OPT, arrays_of, find_steps
import compare_results
import run_step

BUDGETS = (0.1, 0.2, 0.3, 0.5, 0.7) if ALL else (0.1, 0.3)
KEPT = {"code": ("memopt.step_grad",), "normalised output": ("memopt.norm_output_grad",)}


def optimize(path, budget, choose):
    """(text of the step, its report) after the pipeline."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        code, text, error = command([
            MEM_OPT, path, f"--memopt-pipeline=approximate=true saved-budget={budget} choose={choose} "
                           f"report-after={report} report-format=json"])
        return (text, json.loads(report.read_text())) if code == 0 else (error, None)


def count(report, prefixes):
    return sum(n for op, n in report["memopt_ops"].items() if op.startswith(prefixes))


def check(suite, label, asked, report, what):
    """How many the choice gave up."""
    prefixes = KEPT[what]
    given_up = sum(entry["reason"] == f"the plan would not keep its {what}"
                   for entry in report["left_alone"])
    suite.check(f"{label}: {given_up} stayed as they were",
                count(report, prefixes) == count(asked, prefixes) - given_up,
                f"{count(asked, prefixes)} without the choice, {count(report, prefixes)} with it")
    return given_up


def check_loss(suite, label, name, asked, chosen):
    losses = []
    for text in (asked, chosen):
        step = run_step.compile_step(text, None, BUILD)
        losses.append(run_step.run(step, arrays_of(name, step))[0])
    suite.check(f"{label}: the same loss", compare_results.same_bits(*losses))


def check_budget(suite, name, path, budget):
    """How many gradients and norms stayed as they were."""
    text, asked = optimize(path, budget, "none")
    if asked is None:
        suite.check(f"{name} at {budget} plans", "smallest feasible" in text, text[:300])
        return 0
    total = 0
    for choose in ("codes", "all"):
        label = f"{name} at {budget}, choose={choose}"
        chosen, report = optimize(path, budget, choose)
        if not suite.check(f"{label} plans", report is not None, chosen[:300]):
            continue
        suite.check(f"{label} fits", report["planned_saved_bytes"] <= report["saved_budget_bytes"])
        total += check(suite, label, asked, report, "code")
        norms = check(suite, label, asked, report, "normalised output")
        suite.check(f"{label} leaves norms to choose=all", choose == "all" or norms == 0)
        total += norms
        if name == "vit_full" and choose == "all":
            check_loss(suite, label, name, text, chosen)
    return total


def main():
    suite = Suite()
    total = 0
    for name, path in find_steps().items():
        if ALL or name in ("vit_full", "gpt2_full", "roberta_lora", "llama_full"):
            total += sum(check_budget(suite, name, path, budget) for budget in BUDGETS)
    suite.check("some stayed as they were", total > 0)
    print(f"{total} stayed as they were", flush=True)
    suite.close()


if __name__ == "__main__":
    main()
