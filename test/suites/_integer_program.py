"""The choice what to keep as an integer program, from the text form of a step's graph.

    minimize  sum price(o) r(o)
    k(v) + r(maker of v) >= 1          for each v of the forward that the backward reads
    k(u) + r(maker of u) >= r(o)       for each op o of the forward that reads u
    sum bytes(v) k(v) <= B

r(o) = 0 where the op may not run again; a returned value weighs nothing and is always there. It
shares no code with the planner. HiGHS solves it; what it gives is checked in integers.
"""
import re

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix


class Graph:
    """The forward of a step as far as the backward needs it."""

    def __init__(self, text, prices):
        lines = text.splitlines()
        values = [line.split(" ", 3) for line in lines if line.startswith("v ")]
        self.bytes = [0 if "r" in flags else int(size) for _, size, flags, _ in values]
        forward_end = int(re.search(r"^ops \d+ forward (\d+)", text, re.M)[1])
        ops = [line.split(":") for line in lines if line.startswith("o ")]
        self.prices = prices
        self.fixed = ["n" in op[0].split()[6] for op in ops]
        self.maker = {int(v): o for o, op in enumerate(ops) for v in op[2].split()
                      if o < forward_end}
        self.reads = [sorted({v for v in (int(w.rstrip("a")) for w in op[1].split())
                              if v in self.maker and self.bytes[v]}) for op in ops]
        self.needed = sorted({v for read in self.reads[forward_end:] for v in read})
        self.ops = sorted(self.run_again(set()))
        self.values = sorted({v for o in self.ops for v in self.reads[o]} | set(self.needed))

    def run_again(self, kept):
        """The ops that run again where these values are kept."""
        runs, pending = set(), [v for v in self.needed if v not in kept]
        while pending:
            op = self.maker[pending.pop()]
            if op not in runs:
                runs.add(op)
                pending += [v for v in self.reads[op] if v not in kept]
        return runs

    def cost_of(self, kept):
        """In picoseconds; None where an op would run that may not."""
        runs = self.run_again(kept)
        return None if any(self.fixed[o] for o in runs) else sum(self.prices[o] for o in runs)


class Program:
    def __init__(self, graph):
        self.graph = graph
        keep = {v: i for i, v in enumerate(graph.values)}
        again = {o: len(keep) + i for i, o in enumerate(graph.ops)}
        rows = [[(keep[v], 1), (again[graph.maker[v]], 1)] for v in graph.needed]
        rows += [[(keep[u], 1), (again[graph.maker[u]], 1), (again[o], -1)]
                 for o in graph.ops for u in graph.reads[o]]
        low = [1] * len(graph.needed) + [0] * (len(rows) - len(graph.needed))
        entries = [(e, r, c) for r, row in enumerate(rows) for c, e in row]
        data, row, column = zip(*entries)
        self.count = len(keep) + len(again)
        matrix = coo_matrix((data, (row, column)), shape=(len(rows), self.count)).tocsr()
        self.logic = LinearConstraint(matrix, low, np.inf)
        pad = lambda front, numbers, back: np.array([0.0] * front + numbers + [0.0] * back)
        self.weight = pad(0, [graph.bytes[v] for v in graph.values], len(again))
        self.cost = pad(len(keep), [graph.prices[o] for o in graph.ops], 0)
        self.upper = np.ones(self.count)
        self.upper[[again[o] for o in graph.ops if graph.fixed[o]]] = 0

    def solve(self, budget, seconds):
        """(no choice within the budget costs less, the optimum or None where it was not proved
        in time), in picoseconds. Numbers are scaled to about 1 for the solver's tolerances."""
        money, unit = self.cost.max() or 1, self.weight.max() or 1
        result = milp(self.cost / money, integrality=np.ones(self.count),
                      bounds=Bounds(0, self.upper),
                      constraints=[self.logic, LinearConstraint(self.weight[None, :] / unit,
                                                                -np.inf, budget / unit)],
                      options={"time_limit": seconds, "mip_rel_gap": 0})
        bound = 0 if result.mip_dual_bound is None else result.mip_dual_bound * money
        if result.status != 0:
            return bound, None
        kept = {v for v, x in zip(self.graph.values, result.x) if x > 0.5}
        optimum = self.graph.cost_of(kept)
        if optimum is None or sum(self.graph.bytes[v] for v in kept) > budget \
                or abs(optimum - result.fun * money) > 1e-6 * max(1, optimum):
            raise ArithmeticError(f"the solver's choice does not hold: {optimum}, {result.fun * money}")
        return bound, optimum
