#!/usr/bin/env python3
"""The elementwise kernels and reductions of the committed steps, assembled by ptxas for each
chip: no spills, no stack frame, and the registers and shared memory of test/Gpu/ptxas.json
where the assembler is the one that wrote it. `--write` writes that table anew."""
import concurrent.futures
import json
import os
import re
import shutil
import sys
import tempfile

from _kernels import Kernels, optimize
from _suite import ALL, INPUTS, ROOT, Suite, command
from cpu_corpus_kernels import function, kernels_of, read
from gpu_image import read_global  # _suite made it importable

CHIPS = ("sm_80", "sm_90", "sm_100")
KINDS = ("elementwise", "row_reduction", "column_reduction")
FILES = ["corpus/tiny/vit_full", "corpus/tiny/llama_full_bf16", "corpus/real/gpt2_full_b8_t1024"]
TABLE = ROOT / "test" / "Gpu" / "ptxas.json"
ENTRY = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)", re.S)


def find_ptxas():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas", path=f"{home}/bin") or shutil.which("ptxas")


def planned(name):
    """One step of all kernels of the three kinds that the step forms."""
    text = optimize(read(name), "--memopt-pipeline=fence=keep approximate=true", "--memopt-form-kernels")
    aliases = "".join(line + "\n" for line in text.splitlines() if line.startswith("#"))
    kernels = [k for k in kernels_of(text) if k[0] in KINDS]
    code = Kernels()
    code.kinds = [k[0] for k in kernels]
    code.texts = [aliases] + [function(k, n) for n, k in enumerate(kernels)]
    return code.step()


def assemble(ptxas, step, chip):
    """Of each kernel by name: registers, bytes of shared memory, of stack, of spills."""
    module = optimize(step, f"--memopt-to-nvvm=chip={chip} format=isa")
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(read_global(module.encode(), "memopt_gpu_image"))
        file.flush()
        code, _, err = command([ptxas, "-v", f"--gpu-name={chip}", file.name, "-o", os.devnull])
    if code:
        raise RuntimeError(err)
    found = {}
    for kernel, stack, stores, loads, registers, rest in ENTRY.findall(err):
        shared = re.search(r"(\d+) bytes smem", rest)
        found[kernel] = [int(registers), int(shared[1]) if shared else 0, int(stack), int(stores) + int(loads)]
    return found


def check(suite, name, kernels, known):
    for kernel, chips in kernels.items():
        for chip, (registers, shared, stack, spills) in chips.items():
            where = f"{name} {kernel} {chip}"
            suite.check(f"{where} spills nothing", spills == 0, f"{spills} bytes")
            suite.check(f"{where} has no stack frame", stack == 0, f"{stack} bytes")
            if known is not None:
                suite.check(f"{where} is as in the table", known.get(kernel, {}).get(chip) == [registers, shared],
                            f"{[registers, shared]}, {known.get(kernel, {}).get(chip)} expected")


def main():
    suite = Suite()
    ptxas = find_ptxas()
    if not ptxas:
        suite.skip("all", "no ptxas in $CUDA_HOME/bin or PATH")
        suite.close()
    version = command([ptxas, "--version"])[1].strip().splitlines()[-1]
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {"steps": {}}
    names = FILES
    if ALL:
        names = sorted(str(p.relative_to(INPUTS))[:-len(".mlir.zst")] for folder in ("corpus/tiny", "corpus/jax", "corpus/real")
                       for p in (INPUTS / folder).glob("*.mlir.zst"))
    for name in names:
        try:
            step = planned(name)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                results = dict(zip(CHIPS, pool.map(lambda chip: assemble(ptxas, step, chip), CHIPS)))
        except Exception as error:  # one step must not hide the others
            suite.check(name, False, f"{type(error).__name__}: {str(error)[:500]}")
            continue
        kernels = {}
        for chip in CHIPS:
            for kernel, numbers in results[chip].items():
                kernels.setdefault(kernel, {})[chip] = numbers
        write = "--write" in sys.argv
        same = table.get("ptxas") == version and not write
        check(suite, name, kernels, table["steps"].get(name, {}) if same else None)
        if write:
            table["ptxas"] = version
            table["steps"][name] = {k: {c: n[:2] for c, n in chips.items()} for k, chips in kernels.items()}
    if "--write" in sys.argv:
        lines = [f' "{name}": {{\n' + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in sorted(kernels.items())) + "\n }"
                 for name, kernels in sorted(table["steps"].items())]
        TABLE.write_text('{"ptxas": %s,\n"steps": {\n%s\n}}\n' % (json.dumps(table["ptxas"]), ",\n".join(lines)))
    suite.close()


if __name__ == "__main__":
    main()
