#!/usr/bin/env python3
"""What GPU code adds to the planned arena of the steps of real size: the workspace as far as the
plan has no room for it, the slots of scalars, globals, and the addresses of batches.

On sm_90; MEMOPT_CHECK_ALL=1 adds the other chips.
`--write` writes the table of docs/gpu-kernels.md anew."""
import re

from _gpu_code import CHIPS, GpuCode, committed, plan
from _gpu_page import check_section, table
from _suite import ALL, Suite

MIB = 1 << 20
PLANNED = re.compile(r"memopt.arena_bytes = (\d+)")
# cuBLASLt's least and copies of operands; the rest is far below that.
MOST_ADDED = (4 + 64) * MIB


def check(suite, name, planned, chip):
    """The row of the table."""
    description = GpuCode(planned, chip).description()
    workspace, arena = description["workspace"], description["arena_bytes"]
    before = int(PLANNED.search(planned)[1])
    added = arena - before
    label = f"{name}, {chip}"
    suite.check(f"{label}: the arena grows by little", workspace["added"] <= added <= MOST_ADDED, (added, workspace))
    suite.check(f"{label}: the workspace is within the arena", workspace["most"] <= arena, workspace)
    return [name.rsplit("/")[-1], *(f"{b / MIB:.1f}" for b in (before, workspace["most"], added)),
            f"{100 * added / before:.2f}"]


def main():
    suite = Suite()
    rows = []
    for name in committed(["corpus/real"]):
        planned = plan(name)
        rows.append(check(suite, name, planned, "sm_90"))
        for chip in CHIPS if ALL else ():
            check(suite, name, planned, chip)
    head = ["step", "planned MiB", "workspace MiB", "added MiB", "added %"]
    check_section(suite, "arena", table(head, rows))
    suite.close()


if __name__ == "__main__":
    main()
