#!/usr/bin/env python3
"""mem-run on a GPU's step, which runs on the emulator: results, bytes, training, what the
step may not do, and what goes wrong."""
import os
import pathlib
import tempfile

import numpy as np

from _gpu_step import ALLOCATES, gpu_step
from _mem_run import dot_product, mem_run
from _suite import BUILD, Suite

N = 256
W = np.linspace(-1, 1, N, dtype=np.float32)
X = np.linspace(3, 5, N, dtype=np.float32)
EMULATOR = "--target=emulator"


def fails(suite, name, got, words):
    """Exit code 1, and both the message and the JSON hold the words."""
    code, found, error = got
    ok = code == 1 and words in error and found and words in found["error"]
    suite.check(name, ok, f"exit {code}, {found}, {error.strip()[:300]}")


class Place:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.npz = self.folder / "step.npz"
        dot = W.astype(np.float64) @ X
        np.savez(self.npz, arg0=W, arg1=X, res0=np.float32(dot), res64_0=dot, res1=X,
                 res2=np.int64(6))

    def run(self, text, *options, **keywords):
        step = self.folder / "step.mlir"
        step.write_text(text)
        return mem_run(step, f"--cache-dir={self.folder}/cache", *options, **keywords)


def results(suite, place):
    for order in ("forward", "reverse"):
        code, found, error = place.run(gpu_step(N), EMULATOR, f"--thread-order={order}",
                                       f"--inputs={place.npz}", f"--expect={place.npz}")
        suite.check(f"results, {order}", code == 0 and found["ok"], error)
        suite.check(f"planned is measured, {order}",
                    code == 0 and found["peak_bytes"] == found["planned_bytes"] == 64 + 4 * N + 8,
                    found)
        suite.check(f"the step only launches, {order}",
                    code == 0 and [found[k] for k in ("launches", "products", "allocations",
                                                      "copies", "synchronisations")]
                    == [1, 0, 0, 0, 0], found)
        suite.check(f"the target, {order}", code == 0 and found["target"] == "emulator"
                    and found["device"]["name"] == "mem-opt emulator" and "threads" not in found,
                    found)
    suite.check("the second time it is cached", found["cached"], found)
    code, found, error = place.run(gpu_step(N, extra=ALLOCATES), EMULATOR)
    suite.check("a step that allocates is seen", code == 0 and found["allocations"] == 1, error)
    code, found, error = place.run(gpu_step(N), EMULATOR, "--check-accesses=false",
                                   f"--inputs={place.npz}", f"--expect={place.npz}")
    suite.check("without checks", code == 0 and found["ok"]
                and found["peak_bytes"] == found["planned_bytes"], error or found)


def globals_and_graphs(suite, place):
    """The state goes from run to run, is restored after measuring, and a graph changes nothing."""
    out = place.folder / "out.npz"
    for graph in (False, True):
        code, found, error = place.run(gpu_step(N, graph=graph), EMULATOR, f"--save={out}",
                                       "--repeat=3", f"--inputs={place.npz}",
                                       f"--expect={place.npz}")
        suite.check(f"graph {graph}: results", code == 0 and found["ok"], error)
        if code == 0:
            # 5 at first; each timed run begins as the first.
            suite.check(f"graph {graph}: the state", np.load(out)["res2"] == 6,
                        np.load(out)["res2"])
    code, found, error = place.run(gpu_step(N), EMULATOR, "--steps=4", "--optimizer=none",
                                   f"--save={out}")
    suite.check("a training keeps its state", code == 0 and np.load(out)["res2"] == 9, error)


def training(suite, place):
    """SGD on the loss w x: w falls by lr x each step, as on the CPU."""
    names = ["--steps=3", "--lr=0.5", "--parameters=0", f"--inputs={place.npz}"]
    trained = [place.folder / "cpu.npz", place.folder / "gpu.npz"]
    cpu = place.run(dot_product(N), *names, f"--save-params={trained[0]}")
    gpu = place.run(gpu_step(N), EMULATOR, *names, f"--save-params={trained[1]}")
    ok = cpu[0] == gpu[0] == 0
    suite.check("trains", ok, gpu[2])
    if ok:
        same = np.array_equal(np.load(trained[0])["arg0"], np.load(trained[1])["arg0"])
        suite.check("parameters as on the CPU", same)
        suite.check("losses as on the CPU", np.allclose(cpu[1]["loss"], gpu[1]["loss"], rtol=1e-4),
                    (cpu[1]["loss"], gpu[1]["loss"]))


def kernel_times(suite, place):
    code, found, error = place.run(gpu_step(N), EMULATOR, "--kernel-times")
    ok = code == 0 and [(k["kernel"], k["launches"]) for k in found["kernels"]] == [("dot", 1)]
    suite.check("times of kernels", ok, error or found)


def faults(suite, place):
    fails(suite, "a kernel fault", place.run(gpu_step(N, bytes_=4 * N - 4), EMULATOR),
          "kernel dot, block (0,0,0), thread (255,0,0): reads 4 bytes at byte 1020 of operand 0 "
          "(1020 bytes): out of bounds")
    fails(suite, "no such kernel", place.run(gpu_step(N, kernel="dit"), EMULATOR),
          "the image has no kernel dit")
    fails(suite, "no bitcode", place.run(gpu_step(N, image=b".version 8.0"), EMULATOR),
          "the image is no LLVM bitcode")
    fails(suite, "no room", place.run(gpu_step(N), EMULATOR, "--device-bytes=2048"),
          "the step needs an arena of 1096 bytes and 2048 bytes of arguments: out of device memory: 3144 bytes wanted, 2048 free")
    fails(suite, "a GPU's step on the CPU", place.run(gpu_step(N)), "memopt_gpu_launch")
    fails(suite, "the CPU's step on a GPU", place.run(dot_product(N), EMULATOR),
          "the step is code for the CPU, and runs on the target cpu")
    fails(suite, "a second device", place.run(gpu_step(N), EMULATOR, "--device=1"),
          "the emulator has one device, so none of number 1")


def cuda(suite, place):
    """Without a driver the target says so; with a driver for tests, all calls go through."""
    if not (BUILD / "lib" / "libmemopt_cuda_runtime.so").exists():
        return suite.skip("the target cuda", "built without CUDA's headers")
    env = dict(os.environ, MEMOPT_LIBCUDA="none.so")
    fails(suite, "no driver", place.run(gpu_step(N), "--target=cuda", env=env),
          "no NVIDIA driver: none.so")
    env["MEMOPT_LIBCUDA"] = str(BUILD / "lib" / "libmemopt_fake_driver.so")
    code, found, error = place.run(gpu_step(N, image=b".version 8.0"), "--target=cuda",
                                   "--kernel-times", env=env)
    suite.check("the target cuda", code == 0 and found["target"] == "cuda"
                and found["device"]["compute_capability"] == "9.0"
                and found["kernels"][0]["kernel"] == "kernel dot", error or found)
    fails(suite, "bitcode on CUDA", place.run(gpu_step(N), "--target=cuda", env=env),
          "the image is LLVM bitcode, which only the emulator takes")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for part in (results, globals_and_graphs, training, kernel_times, faults, cuda):
            part(suite, place)
    suite.close()


if __name__ == "__main__":
    main()
