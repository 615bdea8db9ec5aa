#!/usr/bin/env python3
"""Bytes that kernels move, as the description of a step states them, against the least possible.

Norms, softmax, activations, their gradients, encode and decode, each alone in a step at the sizes
of GPT-2 and LLaMA: at most 1.1 of what the step is given and gives. In committed steps: each
elementwise kernel and reduction against its inputs and outputs. And what is stated is what the
threads do: the emulator adds up the bytes that they load and store.

By default some steps; MEMOPT_CHECK_ALL=1 takes all.
`--write` writes the table of docs/gpu-kernels.md anew."""
import re

from _counted_step import CountedStep
from _emulated_kernels import RUNTIME
from _gpu_code import GpuCode, plan
from _gpu_functions import functions, odd_functions
from _gpu_page import check_section, table
from _kernels import optimize
from _suite import ALL, Suite

# What loss and gradient of a function's step move.
SMALL = 64
MOST = 1.1
COUNTED = ("captured/mixer", "corpus/tiny/llama_full_bf16", "corpus/tiny/vit_full")


def code_of(function):
    planned = optimize(function.step(), "--memopt-to-linalg", "--memopt-to-arena-pipeline=function=step")
    return GpuCode(planned)


def moved(launches):
    return sum(launch["read"] + launch["written"] for launch in launches)


def by_kernel(launches):
    """(read, written) by name."""
    found = {}
    for launch in launches:
        read, written = found.get(launch["kernel"], (0, 0))
        found[launch["kernel"]] = read + launch["read"], written + launch["written"]
    return found


def check_function(suite, function):
    launches = [l for l in code_of(function).description()["launches"] if l["read"] + l["written"] > SMALL]
    ratio = moved(launches) / function.least()
    suite.check(f"{function.name}: no byte twice", ratio <= MOST,
                f"{ratio:.2f} of the least, by {', '.join(l['kernel'] for l in launches)}")
    mega = [f"{number / 1e6:.1f}" for number in (sum(l["read"] for l in launches), sum(l["written"] for l in launches),
                                                 function.least())]
    return [function.name, len(launches), *mega, f"{ratio:.3f}"]


def check_counted(suite, label, code):
    """The emulator's bytes of each kernel are the stated ones."""
    stated = by_kernel(code.description()["launches"])
    counted = CountedStep(code).count()
    suite.check(f"{label}: all kernels ran", set(stated) == set(counted), set(stated) ^ set(counted))
    for kernel, (read, written) in stated.items():
        if kernel in counted:
            real = counted[kernel]
            got = real["read"] + real["reread"], real["stored"]
            # What a gather reaches, and what is read element by element, is stated as an upper bound.
            is_bound = re.match(r"movement|opaque|contraction_(elements|operand|piece)", kernel)
            ok = got[1] == written and (got[0] <= read if is_bound else got[0] == read)
            suite.check(f"{label}, {kernel}: states what it moves", ok, f"{got} counted, {(read, written)} stated")


def main():
    suite = Suite()
    rows = [check_function(suite, function) for function in functions()]
    check_section(suite, "functions", table(["function", "launches", "MB read", "MB written", "least MB", "of the least"], rows))
    if not RUNTIME.exists():
        suite.skip("what the emulator counts", f"no {RUNTIME.name}")
        suite.close()
    for function in [*functions(part=512), *odd_functions()]:
        check_counted(suite, function.name, code_of(function))
    for name in COUNTED:
        check_counted(suite, name, GpuCode(plan(name)))
    suite.close()


if __name__ == "__main__":
    main()
