#!/usr/bin/env python3
"""Makes the knapsack instances that the tests use.

    knapsack_instances.py ARCHIVE [--tool build/bin/mem-knapsack]

writes a .tar.xz of instance files of both forms (docs/knapsack.md has the
format) and `optima.tsv`, the optimal value of each, on which two solvers that
share no search must agree and which `--certify` must prove. Same script, same
bytes: the numbers come from a seeded generator and the archive has no dates.
"""
import argparse
import io
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile

MIB = 1 << 20


def half(items):
    return items, sum(w for _, w in items) // 2


def uniform(r, n, top=1000):
    """Values and weights independent."""
    return half([(r.randint(1, top), r.randint(1, top)) for _ in range(n)])


def weakly(r, n, top=10000):
    """Values near the weights."""
    weights = [r.randint(1, top) for _ in range(n)]
    return half([(max(1, w + r.randint(-top // 10, top // 10)), w) for w in weights])


def strongly(r, n, top=10000):
    """Value = weight plus a constant: no order by rate helps."""
    weights = [r.randint(1, top) for _ in range(n)]
    return half([(w + top // 10, w) for w in weights])


def inverse(r, n, top=10000):
    values = [r.randint(1, top) for _ in range(n)]
    return half([(v, v + top // 10) for v in values])


def subset(r, n, top=10000):
    """Values equal weights, all even, and an odd capacity."""
    items, capacity = half([(w, w) for w in (2 * r.randint(1, top // 2) for _ in range(n))])
    return items, capacity | 1


def transformer(tokens, width, hidden):
    """(FLOPs to recompute, bytes saved) of one layer's activations, bf16."""
    return [(2 * tokens * width * width, 2 * tokens * width),
            (2 * tokens * width * hidden, 2 * tokens * hidden),
            (2 * tokens * hidden * width, 2 * tokens * width),
            (8 * tokens * width, 2 * tokens * width),
            (6 * tokens * width, 4 * tokens),
            (12 * tokens * hidden, 2 * tokens * hidden)]


def stack(r, n):
    """Equal layers: few distinct items, many of each."""
    return half((transformer(2048, 4096, 11008) * (n // 6 + 1))[:n])


def mixed(r, n):
    """Towers of many shapes; bytes rounded up to 512."""
    items = []
    while len(items) < n:
        layer = transformer(r.choice([77, 196, 257, 1024, 2048]),
                            64 * r.randint(4, 64), 64 * r.randint(8, 200))
        items += [(f, -(-b // 512) * 512) for f, b in layer] * r.randint(1, 12)
    return half(items[:n])


def ragged(r, n):
    """Odd byte counts, and FLOPs per byte that hardly differ."""
    items = []
    while len(items) < n:
        tokens, width = r.randint(500, 4000), 128 * r.randint(8, 40)
        for f, b in transformer(tokens, width, 4 * width):
            items.append((f, b + r.randint(1, 97)))
    return half(items[:n])


def layer_classes(r, m, distinct):
    """A layer as a class: keep everything, something, or nothing of it."""
    kinds = []
    for _ in range(distinct):
        size, cost = 512 * r.randint(10, 4000), r.randint(1000, 100000)
        kinds.append([(0, 0), (cost // 4, size // 3), (cost // 2, size // 2),
                      (cost * 3 // 4, size * 3 // 4), (cost, size)])
    classes = [r.choice(kinds) for _ in range(m)]
    return classes, sum(c[-1][1] for c in classes) // 3


def random_classes(r, m, states, top=1000):
    """States in no order, dominated ones among them, no free state."""
    classes = [[(r.randint(0, top), r.randint(1, top)) for _ in range(states)]
               for _ in range(m)]
    least = sum(min(w for _, w in c) for c in classes)
    most = sum(max(w for _, w in c) for c in classes)
    return classes, least + (most - least) // 3


def item_text(items, capacity):
    return f"{len(items)} {capacity}\n" + "".join(f"{v} {w}\n" for v, w in items)


def class_text(classes, capacity):
    lines = [f"classes {len(classes)} {capacity}"]
    for states in classes:
        lines.append(str(len(states)))
        lines += [f"{v} {w}" for v, w in states]
    return "\n".join(lines) + "\n"


def instances():
    """(name, text, whether rows over the weights are short enough)."""
    made = []
    families = [("uniform", uniform, True), ("weakly", weakly, True),
                ("strongly", strongly, True), ("inverse", inverse, True),
                ("subset", subset, True), ("stack", stack, True),
                ("mixed", mixed, False), ("ragged", ragged, False)]
    for name, make, rows in families:
        for n in (20, 100, 400):
            made.append((f"{name}{n}", item_text(*make(random.Random(f"{name}{n}"), n)), rows))
    for m, states in ((10, 3), (50, 5), (200, 4)):
        name = f"classes{m}x{states}"
        made.append((name, class_text(*random_classes(random.Random(name), m, states)), True))
    for m, distinct in ((12, 1), (48, 3), (200, 40)):
        name = f"layers{m}of{distinct}"
        made.append((name, class_text(*layer_classes(random.Random(name), m, distinct)), True))
    infeasible = [[(5, 7), (9, 8)], [(1, 6)]]
    made.append(("infeasible", class_text(infeasible, 12), True))
    return made


def optimum(tool, path, rows):
    """The value that two solvers and the certificate agree on."""
    values = set()
    for solver in ["list"] + ["hirschberg"] * rows:
        out = subprocess.run([tool, f"--solver={solver}", "--certify", str(path)],
                             check=True, capture_output=True, text=True).stdout
        answer = json.loads(out)
        if not answer["optimal"] or answer["certificate"] != "optimal":
            sys.exit(f"{path.name}: {solver} did not prove its answer: {out}")
        values.add(answer["value"])
    if len(values) != 1:
        sys.exit(f"{path.name}: the solvers disagree: {values}")
    return values.pop()


def add(archive, name, text):
    data = text.encode()
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive")
    parser.add_argument("--tool", default="build/bin/mem-knapsack")
    options = parser.parse_args()
    optima = ["instance\toptimum"]
    with tempfile.TemporaryDirectory() as folder, \
            tarfile.open(options.archive, "w:xz", preset=9) as archive:
        for name, text, rows in instances():
            path = pathlib.Path(folder) / f"{name}.txt"
            path.write_text(text)
            value = optimum(options.tool, path, rows)
            optima.append(f"{name}\t{'infeasible' if value is None else value}")
            add(archive, f"{name}.txt", text)
        add(archive, "optima.tsv", "\n".join(optima) + "\n")


if __name__ == "__main__":
    main()
