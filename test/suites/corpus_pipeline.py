#!/usr/bin/env python3
"""Captured training steps through memopt-pipeline, exact and approximate: stock
mlir-opt verifies what comes out, nothing of memopt is left, the same input gives
the same bytes, no product is computed again, the report counts the same storages
before and after lowering, and the pipeline on its own output saves nothing more.

The real sizes run with --all; their bounds on saved bytes are checked there.
"""
import json
import pathlib
import re
import subprocess
import tempfile

from _suite import ALL, BUILD, INPUTS, LLVM_BIN, SHARED, Suite, command

MEM_OPT = BUILD / "bin" / "mem-opt"
# What the captured step keeps, and what it may keep after the approximate pipeline.
CAPTURED = {"vit_full_b64": 8_947_461_124}
BOUNDS = {"vit_full_b64": 6_300_000_000, "roberta_full_b32_t128": 1_900_000_000}


def find_inputs():
    """(name, path) of each step; the shared corpus where it is, else what is committed."""
    corpus = SHARED / "corpus" if (SHARED / "corpus").is_dir() else INPUTS / "corpus"
    for path in sorted(corpus.rglob("*.mlir*")):
        if ".stablehlo" in path.name or not path.name.endswith((".mlir", ".mlir.zst")):
            continue
        if path.parent.name == "real" and not ALL:
            continue
        yield path.name.removesuffix(".zst").removesuffix(".mlir"), path


def unpack(path, folder):
    if path.suffix != ".zst":
        return path
    out = folder / path.name.removesuffix(".zst")
    subprocess.run(["zstd", "-dqf", path, "-o", out], check=True)
    return out


class Run:
    """One run of the pipeline: its output and both reports, or an error."""

    def __init__(self, source, folder, name, options):
        self.output = folder / f"{name}.mlir"
        before, after = folder / f"{name}.before.json", folder / f"{name}.after.json"
        reports = f"report-format=json report-before={before} report-after={after}"
        code, _, self.error = command([MEM_OPT, source, "-o", self.output,
                                       f"-memopt-pipeline={options} {reports}"])
        self.ok = code == 0
        if self.ok:
            self.text = self.output.read_text()
            self.before = json.loads(before.read_text())
            self.after = json.loads(after.read_text())


def count_products(text):
    """Named matrix products and convolutions, which no rewrite may compute again. JAX
    writes them as generics, which are not counted."""
    return len(re.findall(r"= linalg\.(?:\w*mat(?:mul|vec)|vecmat|dot|conv|contract)\w*", text))


def reported(source, folder):
    file = folder / "report.json"
    code, _, error = command([MEM_OPT, source, "-o", "/dev/null",
                              f"-memopt-report=format=json file={file}"])
    return json.loads(file.read_text()) if code == 0 else {"saved_bytes": error}


def check_step(suite, name, source, folder, approximate):
    options = f"approximate={str(approximate).lower()}"
    label = f"{name} {options}"
    first = Run(source, folder, "first", options)
    if not suite.check(f"{label} runs", first.ok, first.error[:500]):
        return None
    saved = first.after["saved_bytes"]
    code, _, error = command([LLVM_BIN / "mlir-opt", first.output, "-o", "/dev/null"])
    suite.check(f"{label}: mlir-opt verifies it", code == 0, error[:500])
    suite.check(f"{label}: nothing of memopt is left", "memopt." not in first.text)
    products = count_products(source.read_text()), count_products(first.text)
    suite.check(f"{label}: computes no product again", products[0] == products[1],
                f"{products[0]} to {products[1]}")
    again = Run(source, folder, "again", options)
    suite.check(f"{label}: the same bytes again", again.ok and again.text == first.text)
    suite.check(f"{label}: saves no less than nothing", saved <= first.before["saved_bytes"],
                f"{first.before['saved_bytes']} to {saved}")
    lowered = reported(first.output, folder)["saved_bytes"]
    suite.check(f"{label}: the same count after lowering", lowered == saved,
                f"{saved} before, {lowered} after")
    own = Run(first.output, folder, "own", options)
    if suite.check(f"{label}: runs on its own output", own.ok, "" if own.ok else own.error[:500]):
        suite.check(f"{label}: saves nothing more on its own output",
                    own.after["saved_bytes"] == lowered,
                    f"{lowered} to {own.after['saved_bytes']}")
        code, _, error = command([LLVM_BIN / "mlir-opt", own.output, "-o", "/dev/null"])
        suite.check(f"{label}: mlir-opt verifies that too", code == 0, error[:500])
    return first


def main():
    suite = Suite()
    inputs = list(find_inputs())
    if not inputs:
        suite.skip("corpus", "no captured step here")
    for name, path in inputs:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            source = unpack(path, folder)
            exact = check_step(suite, name, source, folder, False)
            approximate = check_step(suite, name, source, folder, True)
        if not exact or not approximate:
            continue
        before, shared, both = (exact.before["saved_bytes"], exact.after["saved_bytes"],
                                approximate.after["saved_bytes"])
        print(f"{name}: {before:,} bytes, shared {shared:,}, approximate {both:,} "
              f"({both / before:.3f})")
        if name in CAPTURED:
            suite.check(f"{name} captured", before == CAPTURED[name], f"{before}")
        if name in BOUNDS:
            suite.check(f"{name} bound", both <= BOUNDS[name], f"{both}")
    suite.close()


if __name__ == "__main__":
    main()
