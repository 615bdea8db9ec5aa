#!/usr/bin/env python3
"""Draws docs/img/knapsack.svg: time and memory against n, log-log.

Reads {"sizes": [...], "families": "UTMO", "series": {name: {instance: [seconds,
bytes]}}} on standard input. Runs in the bench's own environment.
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "mem-opt"  # the same ids on every run
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
from matplotlib import pyplot  # noqa: E402


def draw(axes, data, family, which):
    for name, points in data["series"].items():
        found = [(n, points[f"{family}{n}"][which]) for n in data["sizes"]
                 if points.get(f"{family}{n}") and points[f"{family}{n}"][which] > 0]
        if found:
            axes.loglog(*zip(*found), marker="o", markersize=3, label=name)
    axes.grid(True, which="major", alpha=0.3)


def main():
    data = json.load(sys.stdin)
    families = data["families"]
    figure, grid = pyplot.subplots(2, len(families), figsize=(3.2 * len(families), 6),
                                   sharex=True, sharey="row")
    for column, family in enumerate(families):
        for row, label in enumerate(("seconds", "bytes")):
            draw(grid[row][column], data, family, row)
            grid[row][0].set_ylabel(label)
        grid[0][column].set_title(f"{family} family")
        grid[1][column].set_xlabel("n")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
