"""Committed steps as GPU code: planned, then generated for a chip."""
import json

from _kernels import optimize
from _suite import INPUTS
from cpu_corpus_kernels import read
from gpu_image import read_global  # _suite made it importable

CHIPS = ("sm_80", "sm_90", "sm_100")
PIPELINES = {"exact": "fence=keep", "approximate": "fence=keep approximate=true"}
SMALL = ("corpus/tiny", "corpus/jax", "captured", "fidelity")
REAL = ("corpus/real", "named", "layers", "launches")


def committed(folders):
    """The names of the steps in some folders of test/Inputs."""
    return sorted(str(path.relative_to(INPUTS))[:-len(".mlir.zst")]
                  for folder in folders for path in (INPUTS / folder).glob("*.mlir.zst"))


def plan(name, pipeline="exact"):
    """The step on buffers in one arena."""
    return optimize(read(name), f"--memopt-pipeline={PIPELINES[pipeline]}", "--memopt-to-arena-pipeline")


class GpuCode:
    """What memopt-to-nvvm makes of a planned step."""

    def __init__(self, planned, chip="sm_90", format="llvm", more=""):
        self.text = optimize(planned, f"--memopt-to-nvvm=chip={chip} format={format} {more}")

    def description(self):
        return json.loads(read_global(self.text.encode(), "memopt_step_description"))

    def image(self):
        return read_global(self.text.encode(), "memopt_gpu_image")

    def host(self):
        """The lines of @memopt_step, without those of its first and last."""
        begin = self.text.index("llvm.func @memopt_step(")
        return self.text[begin:self.text.index("\n  }\n", begin)].splitlines()[1:]
