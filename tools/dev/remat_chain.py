#!/usr/bin/env python3
"""The uniform chain: its text, and the plot of recomputed matmuls against the peak.

    uniform_chain(layers)     a step of `layers` x (matmul + erf-GELU) with weight
                              gradients, in which every activation takes UNIT bytes

As a program, remat_chain.py IMAGE.svg draws {"layers": n, "ours": [[MiB, matmuls]],
"pytorch": the same} from standard input; it runs in the bench's own environment.
"""
import json
import sys

ROWS, WIDTH = 4096, 64
UNIT = ROWS * WIDTH * 4  # one activation in f32: 1 MiB
ACTIVATION, WEIGHT = f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>"
TURNED = f"tensor<{WIDTH}x{ROWS}xf32>"
SPLATS = {"one": 1.0, "half": 0.5, "rs2": 0.5 ** 0.5, "mh": -0.5, "is": 0.398942280}


def _matmul(name, a, a_type, b, b_type, out, out_type):
    return (f"%{name} = linalg.matmul ins(%{a}, %{b} : {a_type}, {b_type}) "
            f"outs(%{out} : {out_type}) -> {out_type}")


def _transpose(name, a, a_type, out, out_type):
    return f"%{name} = linalg.transpose ins(%{a} : {a_type}) outs(%{out} : {out_type}) permutation = [1, 0]"


def _elementwise(*lines):
    return [f"%{line} : {ACTIVATION}" for line in lines]


def _forward(i):
    """h = m / 2 (1 + erf(m / sqrt 2)) with m the product of the last h and w."""
    source = f"h{i - 1}" if i else "x"
    return [_matmul(f"m{i}", source, ACTIVATION, f"w{i}", WEIGHT, "z", ACTIVATION)] + _elementwise(
        f"a{i} = arith.mulf %m{i}, %rs2", f"f{i} = math.erf %a{i}", f"p{i} = arith.addf %f{i}, %one",
        f"q{i} = arith.mulf %m{i}, %half", f"h{i} = arith.mulf %q{i}, %p{i}")


def _backward(i, layers):
    """dm = dh (p / 2 + m exp(-m^2 / 2) / sqrt(2 pi)); dw = h' dm; dh = dm w'."""
    above = f"dh{i + 1}" if i + 1 < layers else "g"
    source = f"h{i - 1}" if i else "x"
    return _elementwise(
        f"c{i} = arith.mulf %p{i}, %half", f"s{i} = arith.mulf %m{i}, %m{i}",
        f"n{i} = arith.mulf %s{i}, %mh", f"e{i} = math.exp %n{i}", f"d{i} = arith.mulf %e{i}, %is",
        f"r{i} = arith.mulf %m{i}, %d{i}", f"dg{i} = arith.addf %c{i}, %r{i}",
        f"dm{i} = arith.mulf %{above}, %dg{i}") + [
        _transpose(f"ht{i}", source, ACTIVATION, "et", TURNED),
        _matmul(f"dw{i}", f"ht{i}", TURNED, f"dm{i}", ACTIVATION, "zw", WEIGHT),
        _transpose(f"wt{i}", f"w{i}", WEIGHT, "ew", WEIGHT),
        _matmul(f"dh{i}", f"dm{i}", ACTIVATION, f"wt{i}", WEIGHT, "z", ACTIVATION)]


def uniform_chain(layers):
    weights = "".join(f"%w{i}: {WEIGHT}, " for i in range(layers))
    results = [f"%h{layers - 1}", "%dh0"] + [f"%dw{i}" for i in range(layers)]
    types = ", ".join([ACTIVATION] * 2 + [WEIGHT] * layers)
    body = ["%zero = arith.constant 0.0 : f32"]
    body += [f"%{name} = arith.constant dense<{value}> : {ACTIVATION}" for name, value in SPLATS.items()]
    for empty, filled, type_ in (("ea", "z", ACTIVATION), ("ew", "zw", WEIGHT)):
        body += [f"%{empty} = tensor.empty() : {type_}",
                 f"%{filled} = linalg.fill ins(%zero : f32) outs(%{empty} : {type_}) -> {type_}"]
    body += [f"%et = tensor.empty() : {TURNED}"]
    for i in range(layers):
        body += _forward(i)
    for i in reversed(range(layers)):
        body += _backward(i, layers)
    lines = "\n".join("  " + line for line in body)
    return (f"func.func @step(%x: {ACTIVATION}, {weights}%g: {ACTIVATION}) -> ({types}) {{\n{lines}\n"
            f"  return {', '.join(results)} : {types}\n}}\n")


def draw(data, image):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "mem-opt"  # the same ids on every run
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    peaks = [peak for peak, _ in data["ours"]]
    axes.plot(peaks, [data["layers"] + 3 - peak for peak in peaks], color="0.6", linewidth=5,
              alpha=0.5, label=f"fewest possible, {data['layers'] + 3} - P")
    axes.plot(*zip(*data["ours"]), "o", markersize=4, label="memopt-pipeline")
    if data["pytorch"]:
        axes.plot(*zip(*data["pytorch"]), "x", color="tab:red", label="PyTorch's partitioner")
    axes.set_xlabel("peak P beside the arguments, in activations of 1 MiB")
    axes.set_ylabel("matmuls that run twice")
    axes.set_title(f"{data['layers']} x (matmul + GELU), forward and backward")
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(image, metadata={"Date": None})


if __name__ == "__main__":
    draw(json.load(sys.stdin), sys.argv[1])
