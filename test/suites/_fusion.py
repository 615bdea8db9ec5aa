"""Fusions that a step's kernels leave undone: pairs that could be one, so that what the first
writes need not be read again."""
import math
import re

from _kernels import commas, split_type

KERNEL = re.compile(r"^    (%\w+)(?::(\d+))? = memopt\.kernel (\w+)(?: ins\((.*?) : (.*?)\))?\s*outs\((.*?) : (.*?)\)", re.M)
ROWWISE = ("elementwise", "row_reduction")
BITS = {"index": 64, "i1": 8}


def bytes_of(type_):
    shape, element = split_type(type_)
    return math.prod(shape) * BITS.get(element, int(re.sub(r"\D", "", element) or 0)) // 8


def points_of(type_):
    return math.prod(split_type(type_)[0])


class FormedKernel:
    def __init__(self, number, match):
        result, count, self.kind, ins, in_types, _, out_types = match.groups()
        self.number = number
        outs = commas(out_types)
        names = [f"{result}#{i}" for i in range(int(count))] if count else [result]
        self.writes = dict(zip(names, outs))
        self.reads = dict(zip(commas(ins or ""), commas(in_types or "")))
        tensors = [t for t in [*self.reads.values(), *outs] if t.startswith("tensor")]
        self.points = max(map(points_of, tensors), default=0)


def kernels_of(formed):
    return [FormedKernel(n, m) for n, m in enumerate(KERNEL.finditer(formed))]


def missed(formed):
    """(first, second, bytes) of each pair that computes on the same points, with no kernel that must
    run between, on one side of the forward's end."""
    kernels = kernels_of(formed)
    maker = {value: k for k in kernels for value in k.writes}
    follows = [set() for _ in kernels]  # numbers of all kernels that a kernel needs
    direct = [{maker[v].number for v in k.reads if v in maker} for k in kernels]
    for k in kernels:
        for other in direct[k.number]:
            follows[k.number] |= {other} | follows[other]
    loss = re.search(r"^    return (%[\w#]+)", formed, re.M)[1]
    end = maker[loss].number if loss in maker else -1
    for second in kernels:
        for number in sorted(direct[second.number]):
            first = kernels[number]
            if first.kind not in ROWWISE or second.kind not in ROWWISE or first.points != second.points:
                continue
            if (first.number <= end) != (second.number <= end):
                continue
            if any(first.number in follows[k] for k in direct[second.number] - {number}):
                continue
            shared = {v: t for v, t in second.reads.items() if maker.get(v) is first}
            yield first, second, sum(map(bytes_of, shared.values()))
