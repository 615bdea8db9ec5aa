#!/usr/bin/env python3
"""mem-run as a user meets it: files from numpy, training, and everything that can go
wrong. Each fault ends with a message and an exit code, never with a crash or half a
file."""
import json
import os
import pathlib
import pty
import random
import resource
import signal
import subprocess
import tempfile
import time

import numpy as np

from _mem_run import FILL, PROGRAM, dot_product, mem_run
from _suite import Suite

N = 32
W = np.linspace(-1, 1, N, dtype=np.float32)
X = np.linspace(3, 5, N, dtype=np.float32)


class Place:
    """A folder with a compiled step, its inputs and its references."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.step, self.npz = self.folder / "step.o", self.folder / "step.npz"
        source = self.folder / "step.mlir"
        source.write_text(dot_product(N))
        code, _, error = mem_run(source, "--no-cache", f"--save-object={self.step}")
        assert code == 0, error
        self.write()

    def write(self, path=None, **arrays):
        """Writes an .npz; arrays that are None are left out."""
        dot = np.float64(W.astype(np.float64) @ X)
        arrays = {"arg0": W, "arg1": X, "res0": np.float32(dot), "res64_0": dot, "res1": X,
                  "res64_1": X.astype(np.float64), **arrays}
        np.savez(path or self.npz, **{k: v for k, v in arrays.items() if v is not None})

    def run(self, *options, **keywords):
        return mem_run(self.step, *options, **keywords)

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())


def fails(suite, name, got, words, code=1):
    """The exit code is right, and both the message and the JSON hold the words."""
    exit_code, found, error = got
    ok = exit_code == code and words in error and found and found["ok"] is False
    suite.check(name, ok, f"exit {exit_code}, {found}, {error.strip()[:300]}")


def references(suite, place):
    code, found, error = place.run(f"--inputs={place.npz}", f"--expect={place.npz}")
    suite.check("references of numpy are met", code == 0 and found["ok"]
                and found["results_within_tolerance"] == 2, f"{found} {error}")
    suite.check("planned is measured", found["planned_bytes"] == found["peak_bytes"] == 64 + 4 * N
                and found["argument_bytes"] == 8 * N, str(found))
    wrong = place.folder / "wrong.npz"
    place.write(wrong, res1=X * np.float32(1.001), res64_1=X * 1.001)
    got = place.run(f"--inputs={place.npz}", f"--expect={wrong}")
    fails(suite, "a wrong result is named", got, "1 of 2 results are not within tolerance; the worst, res1")
    code, found, _ = place.run(f"--inputs={place.npz}", f"--expect={wrong}", "--rtol=0.01")
    suite.check("--rtol allows it", code == 0 and found["worst_result"] == "res1"
                and 0.9e-3 < found["max_rel_error"] < 1.1e-3, str(found))


def formats(suite, place):
    """Column-major, compressed and bfloat16-wide files, as numpy writes them."""
    other = place.folder / "other.npz"
    np.savez_compressed(other, arg0=W, arg1=X)
    code, found, error = place.run(f"--inputs={other}", f"--expect={place.npz}")
    suite.check("a compressed file is read", code == 0, error)
    place.write(other, arg0=W.astype(np.float64))
    fails(suite, "a wrong dtype is named", place.run(f"--inputs={other}"),
          f"other.npz: arg0 is f64[{N}], the step takes f32[{N}]")
    place.write(other, arg1=X[:-1])
    fails(suite, "a wrong shape is named", place.run(f"--inputs={other}"),
          f"other.npz: arg1 is f32[{N - 1}], the step takes f32[{N}]")
    place.write(other, arg0=W.astype(">f4"))
    fails(suite, "a wrong byte order is named", place.run(f"--inputs={other}"),
          "other.npz: arg0: its dtype '>f4' is none of those that are read")
    place.write(other, arg0=np.zeros(N, [("a", "f4")]))
    fails(suite, "a structured dtype is named", place.run(f"--inputs={other}"),
          "other.npz: arg0: its dtype is structured")
    place.write(other, arg2=X)
    fails(suite, "an argument too many is named", place.run(f"--inputs={other}"),
          "other.npz: has arg2, the step takes 2 arguments")
    place.write(other, arg1=None)
    fails(suite, "a missing argument is named", place.run(f"--inputs={other}"),
          "other.npz: has no array arg1")
    place.write(other, res1=None, res64_1=None)
    fails(suite, "a missing reference is named",
          place.run(f"--inputs={place.npz}", f"--expect={other}"), "other.npz: has no array res1")
    place.write(other, res64_0=np.zeros(3))
    fails(suite, "a reference of another shape is named",
          place.run(f"--inputs={place.npz}", f"--expect={other}"),
          "other.npz: res64_0 is f64[3], the step's result is f32[]")
    bad = W.copy()
    bad[7] = np.nan
    place.write(other, arg0=bad)
    fails(suite, "a NaN in the inputs is named", place.run(f"--inputs={other}"),
          f"other.npz: arg0 has a NaN, element 7 of f32[{N}] (--allow-nan takes it)")
    code, found, _ = place.run(f"--inputs={other}", "--allow-nan")
    suite.check("--allow-nan takes it", code == 0 and found["loss"] == [None], str(found))


def damaged(suite, place):
    """A file cut anywhere or with any byte changed: a message, or arrays that are whole."""
    data, other = place.npz.read_bytes(), place.folder / "damaged.npz"
    rng = random.Random(1)
    crashed = []
    for trial in range(60):
        broken = bytearray(data)
        if trial % 2:
            del broken[rng.randrange(len(broken)):]
        else:
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        other.write_bytes(broken)
        code, found, error = place.run(f"--inputs={other}", "--measure=false")
        if code not in (0, 1) or found is None or (code == 1 and "damaged.npz" not in error):
            crashed.append(f"trial {trial}: exit {code}, {error.strip()[:200]}")
    suite.check("60 damaged files end well", not crashed, "; ".join(crashed[:3]))


def training(suite, place):
    """SGD with momentum on batches is what numpy computes; evaluation changes nothing."""
    batches = np.stack([X, 2 * X, -X])
    data, out = place.folder / "batches.npz", place.folder / "out.npz"
    np.savez(data, arg1=batches)
    options = [f"--inputs={place.npz}", f"--data={data}", "--steps=7", "--lr=0.01", "--momentum=0.5",
               "--parameters=0", f"--save-params={out}"]
    code, found, error = place.run(*options)
    w, buffer, losses = W.astype(np.float64), 0.0, []
    for i in range(7):
        x = batches[i % 3].astype(np.float64)
        losses.append(w @ x)
        buffer = 0.5 * buffer + x
        w = w - 0.01 * buffer
    suite.check("losses are numpy's", code == 0 and np.allclose(found["loss"], losses, rtol=1e-5, atol=1e-4),
                f"{found} {error}")
    with np.load(out) as saved:
        suite.check("parameters are numpy's", np.allclose(saved["arg0"], w, rtol=1e-5, atol=1e-6))
    code, with_evaluation, _ = place.run(*options, f"--eval-data={data}", "--eval-every=2", "--watch=0")
    suite.check("evaluation leaves the training alone", with_evaluation["loss"] == found["loss"])
    evaluations = with_evaluation["evaluations"]
    suite.check("evaluation after every 2 steps and the last",
                [e["step"] for e in evaluations] == [2, 4, 6, 7], str(evaluations))
    expected = np.mean([w @ b for b in batches.astype(np.float64)])
    suite.check("the mean over its batches", np.isclose(evaluations[-1]["loss"], expected, rtol=1e-4)
                and evaluations[-1]["watched"] == [evaluations[-1]["loss"]], str(evaluations))
    code, again, _ = place.run(f"--inputs={out}", "--steps=1", "--parameters=0")
    suite.check("saved parameters are inputs", code == 0 and np.isclose(again["loss"][0], w @ x, rtol=1e-4))
    fails(suite, "a loss that is no number ends the training",
          place.run(f"--inputs={place.npz}", "--steps=1000", "--lr=1e37", "--parameters=0"),
          "the loss of step ")
    fails(suite, "whose gradients the results are is asked",
          place.run("--steps=1", "--parameters=0-1"), "--parameters names 2 arguments")
    np.savez(data, arg1=X)
    fails(suite, "data without batches are named",
          place.run("--steps=1", f"--data={data}"), f"arg1 is f32[{N}], the step takes")


def files(suite, place):
    """Output appears whole or not at all."""
    before = place.files()
    fails(suite, "a folder that is not there",
          place.run(f"--save={place.folder}/none/out.npz"), "none/out.npz: cannot be written")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    fails(suite, "a disk that is full", place.run(f"--save={place.folder}/full.npz", preexec_fn=limit),
          "full.npz: cannot be written")
    fails(suite, "a disk that is full for the object",
          mem_run(place.folder / "step.mlir", "--no-cache", f"--save-object={place.folder}/full.o",
                  preexec_fn=limit), "full.o: cannot be written")
    suite.check("no file is left", place.files() == before, f"{place.files()}, not {before}")


def interruption(suite, place):
    before = place.files()
    process = subprocess.Popen([PROGRAM, place.step, "--steps=4000000000", "--lr=1e-12",
                                f"--save-params={place.folder}/out2.npz"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=120)
    found = json.loads(out)
    suite.check("Ctrl-C ends a training after its step", process.returncode == 130
                and found["interrupted"] and not found["ok"] and found["steps"] > 0
                and "interrupted" in error, f"exit {process.returncode}, {error}")
    suite.check("and writes nothing", place.files() == before)


def resident(suite, place):
    """A step of 512 MiB: the process grows by what was measured, within 2 % and 8 MB."""
    size = 512 << 20
    step = place.folder / "fill.mlir"
    step.write_text(FILL % {"bytes": size})
    code, found, error = mem_run(step, "--no-cache")
    grown = found and found["resident_bytes"]
    if code == 0 and grown is None:
        suite.skip("resident growth", "this kernel does not say")
    else:
        suite.check("resident growth is the peak", code == 0 and found["peak_bytes"] == size
                    and abs(grown - size) <= 0.02 * size + 8e6, f"{grown} of {size}, {error}")


def refused(suite, place):
    """An arena that the system does not give: said, whoever finds out first."""
    size = 6 << 30
    step = place.folder / "large.mlir"
    step.write_text(FILL % {"bytes": size})
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (5 << 30, 5 << 30))
    fails(suite, "an arena that is refused", mem_run(step, "--no-cache", preexec_fn=limit),
          f"an arena of {size} bytes")


def cache(suite, place):
    folder, step = place.folder / "cache", place.folder / "step.mlir"
    code, found, error = mem_run(step, f"--cache-dir={folder}")
    entries = list(folder.iterdir())
    suite.check("a step is cached", code == 0 and len(entries) == 1 and not found["cached"], error)
    data = entries[0].read_bytes()
    for name, broken in (("cut", data[:-9]), ("changed", data[:300] + b"?" + data[301:]), ("empty", b"")):
        entries[0].write_bytes(broken)
        code, found, error = mem_run(step, f"--cache-dir={folder}")
        suite.check(f"a {name} entry is written again", code == 0 and not found["cached"]
                    and entries[0].read_bytes() == data, error)
    code, found, error = mem_run(step, f"--cache-dir={folder}")
    suite.check("and then used", code == 0 and found["cached"], error)
    file = place.folder / "no-folder"
    file.write_text("")
    code, found, error = mem_run(step, f"--cache-dir={file}")
    suite.check("a cache that cannot be written is no error", code == 0, error)


def progress(suite, place):
    """A bar on a terminal, nothing elsewhere."""
    command = [PROGRAM, place.step, "--steps=4000000000", "--lr=1e-12"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen, end = b"", time.time() + 20
    while b" s left" not in seen and time.time() < end:
        seen += os.read(ours, 1000)
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    process.wait()
    os.close(ours)
    suite.check("a terminal has a bar", b"] step " in seen and b"loss" in seen, repr(seen[-200:]))


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for part in (references, formats, damaged, training, files, interruption, resident, refused, cache, progress):
            part(suite, place)
    suite.close()


if __name__ == "__main__":
    main()
