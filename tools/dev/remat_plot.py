#!/usr/bin/env python3
"""Draws docs/img/remat_pytorch.svg: overhead against saved bytes and against the peak.

Reads a list, one entry a step, on standard input; see bench_remat_pytorch.py. Runs in
the bench's own environment.
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "mem-opt"  # the same ids on every run
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
from matplotlib import pyplot, ticker  # noqa: E402


def lower_hull(points):
    """The points that no other one beats, by rising bytes."""
    best, found = float("inf"), []
    for x, y in sorted(points):
        if y < best:
            best = y
            found.append((x, y))
    return found


def thin(points, most=300):
    """Evenly chosen ones of many points: no more can be seen."""
    return points[::max(1, len(points) // most)] + points[-1:]


def draw(axes, step, which, top):
    axes.plot(*zip(*thin(sorted(step["bound"][which]))), color="0.6", linewidth=1, label="no plan is below (certified)")
    axes.step(*zip(*thin(lower_hull(step["ours"][which]))), where="post", label="mem-opt")
    axes.plot(*zip(*step["late"][which]), "x", color="tab:red", label="PyTorch, recomputed late")
    if which == "peak":
        axes.plot(*zip(*step["ordered"]), "+", color="tab:orange", label="PyTorch, in its order")
    axes.set_yscale("symlog", linthresh=1)  # linear below one percent
    axes.set_ylim(-0.05, top)
    axes.yaxis.set_major_locator(ticker.FixedLocator([0, 0.5, 1, 2, 5, 10, 20, 40]))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.set_xlim(left=0)
    axes.grid(True, alpha=0.3)


def main():
    steps = json.load(sys.stdin)
    figure, grid = pyplot.subplots(len(steps), 2, figsize=(10, 2.9 * len(steps)), squeeze=False)
    for row, step in zip(grid, steps):
        top = 1.1 * max(y for _, y in step["late"]["saved"])
        for axes, which in zip(row, ("saved", "peak")):
            draw(axes, step, which, top)
        row[0].set_ylabel("overhead, % of the step")
        row[0].set_title(step["name"], loc="left")
    grid[-1][0].set_xlabel("GB kept for the backward")
    grid[-1][1].set_xlabel("simulated peak beside the arguments, GB")
    handles, labels = grid[0][1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=2, frameon=False)
    figure.tight_layout(rect=(0, 0.6 / (2.9 * len(steps)), 1, 1))
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
