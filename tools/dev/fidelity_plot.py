#!/usr/bin/env python3
"""Draws IMAGE.svg from {model: {gradients: [losses of each seed, (step, accuracy) of each]}} on
standard input. Runs in the bench's own environment."""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "mem-opt"  # the same ids on every run
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
from matplotlib import pyplot  # noqa: E402

WINDOW = 15  # steps of the running mean


def mean(columns):
    return [sum(values) / len(values) for values in zip(*columns)]


def smooth(values):
    return [sum(values[max(0, i - WINDOW + 1):i + 1]) / min(i + 1, WINDOW) for i in range(len(values))]


def main():
    data = json.load(sys.stdin)
    figure, grid = pyplot.subplots(2, len(data), figsize=(3.4 * len(data), 6), squeeze=False)
    for column, (model, runs) in enumerate(data.items()):
        for label, (losses, accuracies) in runs.items():
            style = {"linewidth": 2, "color": "black"} if label == "exact" else {"linewidth": 1}
            grid[0][column].plot(smooth(mean(losses)), label=label, **style)
            steps = [step for step, _ in accuracies[0]]
            grid[1][column].plot(steps, mean([[a for _, a in seed] for seed in accuracies]), **style)
        grid[0][column].set_title(model)
        grid[1][column].set_xlabel("step")
    grid[0][0].set_ylabel("training loss, mean of seeds")
    grid[1][0].set_ylabel("accuracy, %")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
