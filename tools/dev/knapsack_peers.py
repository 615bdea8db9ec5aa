#!/usr/bin/env python3
"""Runs another project's knapsack solver on instance files: one JSON object a line.

    knapsack_peers.py PEER LIMIT FILE...

PEER is torch-dp, torch-hirschberg, ortools-bb or ortools-cpsat; LIMIT is in
seconds. Every instance is solved in a process of its own, so that the growth of
its resident set is that of the solver, on one thread. It must run with a Python
that has the peer installed; bench_knapsack.py makes one.
"""
import json
import os
import resource
import signal
import sys
import time

# PyTorch rounds weights to multiples of this share of 1 (its table has 10,000
# columns for a budget of 1), and its callers pass shares of the total.
TORCH_STEP = 10_000
# Whole weights fit PyTorch's table as they are where the capacity is below this.
TORCH_EXACT = 3_000_000


def read(path):
    numbers = list(map(int, open(path).read().split()))
    pairs = list(zip(numbers[2::2], numbers[3::2]))
    return numbers[1], [v for v, _ in pairs], [w for _, w in pairs]


def torch_peer(function):
    import torch
    from torch._functorch._activation_checkpointing import knapsack
    torch.set_num_threads(1)
    solver = getattr(knapsack, function)

    def solve(capacity, values, weights, limit):
        scale = TORCH_STEP if capacity <= TORCH_EXACT else sum(weights)
        _, saved, _ = solver([w / scale for w in weights], [float(v) for v in values],
                             capacity / scale)
        return saved, True
    return solve


def branch_and_bound():
    from ortools.algorithms.python import knapsack_solver as k
    kind = k.SolverType.KNAPSACK_MULTIDIMENSION_BRANCH_AND_BOUND_SOLVER

    def solve(capacity, values, weights, limit):
        solver = k.KnapsackSolver(kind, "bench")
        solver.set_time_limit(limit)
        solver.init(values, [weights], [capacity])
        solver.solve()
        taken = [i for i in range(len(values)) if solver.best_solution_contains(i)]
        return taken, solver.is_solution_optimal()
    return solve


def cp_sat():
    from ortools.sat.python import cp_model

    def solve(capacity, values, weights, limit):
        model = cp_model.CpModel()
        take = [model.new_bool_var("") for _ in values]
        model.add(cp_model.LinearExpr.weighted_sum(take, weights) <= capacity)
        model.maximize(cp_model.LinearExpr.weighted_sum(take, values))
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = limit
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return [], False
        return [i for i, x in enumerate(take) if solver.value(x)], status == cp_model.OPTIMAL
    return solve


PEERS = {
    "torch-dp": lambda: torch_peer("dp_knapsack"),
    "torch-hirschberg": lambda: torch_peer("dp_knapsack_sliding_hirschberg"),
    "ortools-bb": branch_and_bound,
    "ortools-cpsat": cp_sat,
}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def solve_one(solve, path, limit):
    capacity, values, weights = read(path)
    before, start = peak(), time.perf_counter()
    taken, claimed = solve(capacity, values, weights, limit)
    seconds = time.perf_counter() - start
    return {"instance": os.path.basename(path).removesuffix(".txt"), "seconds": seconds,
            "growth_bytes": peak() - before, "value": sum(values[i] for i in taken),
            "weight": sum(weights[i] for i in taken), "capacity": capacity, "claimed": claimed}


def main():
    peer, limit, files = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    solve = PEERS[peer]()
    for path in files:
        child = os.fork()
        if child == 0:
            signal.alarm(int(limit * 6) + 60)
            print(json.dumps(solve_one(solve, path, limit)), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
