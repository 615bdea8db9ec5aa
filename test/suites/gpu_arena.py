#!/usr/bin/env python3
"""What GPU code adds to the planned arena of the steps of real size: the workspace as far as the
plan has no room for it, the slots of scalars, and globals.

On sm_90; MEMOPT_CHECK_ALL=1 adds the other chips.
`--write` writes the table of docs/gpu-kernels.md anew."""
from _gpu_code import CHIPS, GpuCode, committed, plan
from _gpu_page import check_section, table
from _suite import ALL, Suite

MIB = 1 << 20
# cuBLASLt's least, and copies of operands.
MOST_ADDED = (4 + 64) * MIB


def check(suite, name, planned, chip):
    """The row of the table."""
    description = GpuCode(planned, chip).description()
    workspace, arena = description["workspace"], description["arena_bytes"]
    before = arena - workspace["added"]
    label = f"{name}, {chip}"
    suite.check(f"{label}: the arena grows by little", 0 <= workspace["added"] <= MOST_ADDED, workspace)
    suite.check(f"{label}: the workspace is within the arena", workspace["most"] <= arena, workspace)
    return [name.rsplit("/")[-1], *(f"{b / MIB:.1f}" for b in (before, workspace["most"], workspace["added"])),
            f"{100 * workspace['added'] / before:.2f}"]


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
