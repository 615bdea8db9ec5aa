#!/usr/bin/env python3
"""Elementwise kernels and reductions of memopt-to-nvvm, run by the emulator in both thread
orders, against numpy in extended precision."""
from _emulated_kernels import RUNTIME, EmulatedKernels
from _kernel_cases import Cases
from _shared_sums import add_all_shared, check_order
from _suite import ALL, Suite
from cpu_kernels import add_all


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
        add_all_shared(cases)
        cases.run()
    check_order(suite, EmulatedKernels)
    suite.close()


if __name__ == "__main__":
    main()
