#!/usr/bin/env python3
"""Elementwise kernels and reductions of memopt-to-nvvm, run by the emulator in both thread
orders, against numpy in extended precision."""
import re

from _emulated_kernels import RUNTIME, EmulatedKernels
from _kernel_cases import Cases
from _suite import ALL, Suite
from cpu_kernels import add_all

# Functions that memopt-to-nvvm refuses: the CPU calls the C library for them.
REFUSED = re.compile(r"math\.(exp|log|tanh|erf|sin|cos|pow)\w* .* : \S*f64|math\.(powf|atan2?|cbrt|sinh|cosh|tan|a\w+h|exp2|log10) ")


def drop_refused(cases):
    kernels = cases.kernels
    kept = [i for i, text in enumerate(kernels.texts) if not REFUSED.search(text)]
    cases.cases = [cases.cases[i] for i in kept]
    kernels.kinds = [kernels.kinds[i] for i in kept]
    kernels.texts = [re.sub(r"@f\d+", f"@f{n}", kernels.texts[i], count=1) for n, i in enumerate(kept)]


def main():
    suite = Suite()
    if not RUNTIME.exists():
        suite.skip("all", f"no {RUNTIME.name}")
        suite.close()
    for order in ("forward", "reverse") if ALL else ("reverse",):
        kernels = EmulatedKernels()
        kernels.order = order
        cases = Cases(suite, kernels)
        add_all(cases)
        drop_refused(cases)
        cases.run()
    suite.close()


if __name__ == "__main__":
    main()
