#!/usr/bin/env python3
"""Small inputs around faults that other systems were reported for, through the
pipeline: what is kept, or the message that refuses. Skipped where they are not."""
import json
import pathlib
import tempfile

from _suite import BUILD, LLVM_BIN, SHARED, Suite, command

MEM_OPT = BUILD / "bin" / "mem-opt"

# file, options of the pipeline, bytes that cross as captured, and afterwards at most
KEPT = [
    ("alias", "", 16384, 16384),
    ("broadcast", "", 4096, 4096),
    ("returned_and_saved", "", 0, 0),
    ("empty_scalar", "forward-results=0,1", 0, 0),
    ("dtypes", "function=f64", 64, 64),
    ("dtypes", "function=mixed", 0, 0),
    ("dtypes", "function=bf16", 16, 16),
    ("rng", "", 32, 32),
    ("silu", "", 32, 2),
    ("equal_items1024", "", 4, 4),
    ("cse_undoes_remat", "", 0, 0),
]
# file, options, what the message says
REFUSED = [
    ("dtypes", "", "more than one function could be the training step: name one with function="),
    ("mutation", "", "it works on buffers, and a step is read on tensors, before bufferization"),
    ("dynamic", "report-after=-", "makes a 'tensor<?x1024xf32>' of unknown size: dimension 0 is dynamic"),
    ("huge", "report-after=-", "of unknown size: its bytes pass 2^63 - 1"),
    ("gelu_erf_tanh", "", "no function looks like a training step"),
    ("tail", "", "no function looks like a training step"),
]
# Needs no sizes, so that it goes through.
ACCEPTED = [("dynamic", ""), ("huge", ""), ("uniform_chain32", "")]
ACTIVATIONS = ["gelu_erf", "gelu_tanh", "quick_gelu"]


def run(name, options, folder, approximate):
    output = folder / "out.mlir"
    arguments = [MEM_OPT, SHARED / "cases" / f"{name}.mlir", "-o", output,
                 f"-memopt-pipeline=approximate={approximate} {options}"]
    code, out, error = command(arguments)
    return code, out, error, output


def check_kept(suite, folder, name, options, before, after):
    for approximate in ("false", "true"):
        label = f"{name} {options} approximate={approximate}"
        reports = (f"report-format=json report-before={folder}/before.json "
                   f"report-after={folder}/after.json")
        code, _, error, output = run(name, f"{options} {reports}", folder, approximate)
        if not suite.check(f"{label} runs", code == 0, error[:500]):
            continue
        kept = [json.loads((folder / f"{when}.json").read_text())["saved_bytes"]
                for when in ("before", "after")]
        suite.check(f"{label} keeps {before}, then at most {after}",
                    kept[0] == before and kept[1] <= after, f"{kept}")
        code, _, error = command([LLVM_BIN / "mlir-opt", output, "-o", "/dev/null"])
        suite.check(f"{label} verifies", code == 0, error[:500])
        if name == "rng":
            calls = output.read_text().count("call @rand_mask")
            suite.check(f"{label} draws once", calls == 1, f"{calls} calls")


def main():
    suite = Suite()
    if not (SHARED / "cases").is_dir():
        suite.skip("cases", "they are not here")
        suite.close()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for case in KEPT:
            check_kept(suite, folder, *case)
        for name, options, message in REFUSED:
            code, _, error, _ = run(name, options, folder, "true")
            suite.check(f"{name} {options} is refused", code == 1 and message in error,
                        f"exit code {code}: {error[:500]}")
        for name, options in ACCEPTED:
            code, _, error, _ = run(name, options, folder, "true")
            suite.check(f"{name} goes through", code == 0, error[:500])
        _, raised, _ = command([MEM_OPT, SHARED / "cases" / "gelu_erf_tanh.mlir", "-memopt-raise"])
        for kind in ACTIVATIONS:
            suite.check(f"{kind} is itself", raised.count(f"memopt.activation {kind} ") == 1)
    suite.close()


if __name__ == "__main__":
    main()
