#!/usr/bin/env python3
"""Every kernel of the committed steps, exact and approximate, assembled by ptxas for each chip:
no spills, no stack frame, and the registers and shared memory of test/Gpu/ptxas.json where the
assembler is the one that wrote it.

By default some small steps; MEMOPT_CHECK_ALL=1 takes all, those of real size as well. `--write` writes
their rows anew, with names of steps behind it only those steps'."""
import concurrent.futures
import json
import re
import sys

import _ptxas
from _gpu_code import CHIPS, PIPELINES, REAL, SMALL, GpuCode, committed, plan
from _gpu_page import check_section, table
from _suite import ALL, ROOT, Suite

TABLE = ROOT / "test" / "Gpu" / "ptxas.json"
DEFAULT = ("captured/gpt_neox", "corpus/tiny/llama_full_bf16", "corpus/tiny/vit_full")


class Table:
    """Rows of registers and bytes of shared memory, for each chip, by step and kernel."""

    def __init__(self, version):
        known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
        self.version, self.known = version, known.get("steps") if known.get("ptxas") == version else None
        self.steps = dict(self.known or {})

    def write(self):
        lines = []
        for name, rows in sorted(self.steps.items()):
            body = ",\n".join(f'  "{kernel}": {json.dumps(row)}' for kernel, row in sorted(rows.items()))
            lines.append(f' "{name}": {{\n{body}\n }}')
        TABLE.write_text('{"ptxas": %s,\n"row": "registers and bytes of shared memory, on %s by turns",\n'
                         '"steps": {\n%s\n}}\n' % (json.dumps(self.version), ", ".join(CHIPS), ",\n".join(lines)))


def kernels_of(assembler, pool, name, pipeline):
    """The numbers of each kernel by name on each chip (none where it has no such kernel), and its PTX."""
    planned = plan(name, pipeline)

    def on(chip):
        ptx = GpuCode(planned, chip, "isa").image().decode()
        return _ptxas.signatures(ptx), assembler.assemble(ptx, chip)

    results = list(pool.map(on, CHIPS))
    # A chip of a small workspace has products in pieces, with kernels of their own.
    names = dict.fromkeys(kernel for _, numbers in results for kernel in numbers)
    texts = {kernel: tuple(signed.get(kernel) for signed, _ in results) for kernel in names}
    return {kernel: [numbers.get(kernel) for _, numbers in results] for kernel in names}, texts


def summary(steps):
    """Of the kernels of one kind in all steps: how many, registers on each chip, most shared memory."""
    kinds = {}
    for rows in steps.values():
        for kernel, row in rows.items():
            kinds.setdefault(re.sub(r"_(f32|f64|bf16|f16)?[\d_]*$", "", kernel), []).append(row)
    lines = []
    for kind, rows in sorted(kinds.items()):
        registers = [[row[i] for row in rows if row[i] is not None] for i in (0, 2, 4)]
        most = max(row[i] for row in rows for i in (1, 3, 5) if row[i] is not None)
        lines.append([kind, len(rows), *(f"{min(r)} to {max(r)}" for r in registers), most])
    return table(["kernels", "number", *(f"registers, {chip}" for chip in CHIPS), "most shared memory, bytes"], lines)


def row_of(chips):
    return [number for numbers in chips for number in (numbers or (None, None))[:2]]


def check(suite, label, kernels, known):
    for kernel, chips in kernels.items():
        for chip, numbers in zip(CHIPS, chips):
            if not numbers:
                continue
            _, _, stack, spills = numbers
            suite.check(f"{label} {kernel} {chip} spills nothing", spills == 0, f"{spills} bytes")
            suite.check(f"{label} {kernel} {chip} has no stack frame", stack == 0, f"{stack} bytes")
        if known is not None:
            row = row_of(chips)
            suite.check(f"{label} {kernel} is as in the table", known.get(kernel) == row,
                        f"{row}, {known.get(kernel)} expected")


def run(suite, assembler, found, pool, name):
    """A kernel that the exact pipeline has too is no row of the approximate one."""
    seen = set()
    for pipeline in PIPELINES:
        kernels, signatures = kernels_of(assembler, pool, name, pipeline)
        kernels = {k: numbers for k, numbers in kernels.items() if signatures[k] not in seen}
        seen.update(signatures.values())
        label = name if pipeline == "exact" else f"{name}, {pipeline}"
        found.steps.pop(label, None)
        if kernels:
            known = found.known.get(label) if found.known else None
            if found.known and known is None:
                suite.skip(f"{label} in the table", "it has no rows")
            check(suite, label, kernels, known)
            found.steps[label] = {k: row_of(chips) for k, chips in kernels.items()}


def main():
    suite = Suite()
    write, asked = "--write" in sys.argv, sys.argv[2:]
    ptxas = _ptxas.find_ptxas()
    if not ptxas:
        suite.skip("all", "no ptxas in $CUDA_HOME/bin or PATH")
        suite.close()
    found = Table(_ptxas.version(ptxas))
    if write:
        found.known = None
    if found.known is None and not write:
        suite.skip("the table", "another version of ptxas wrote it")
    assembler = _ptxas.Assembler(ptxas)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in asked or (committed(SMALL + REAL) if ALL or write else DEFAULT):
            try:
                run(suite, assembler, found, pool, name)
            except Exception as error:  # one step must not hide the others
                suite.check(name, False, f"{type(error).__name__}: {str(error)[:500]}")
            if write:
                found.write()
    if write or found.known:
        check_section(suite, "registers", summary(found.steps))
    suite.close()


if __name__ == "__main__":
    main()
