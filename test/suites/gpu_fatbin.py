#!/usr/bin/env python3
"""format=fatbin holds a cubin for each chip, with every kernel, and PTX for later chips: read from
the file's own headers, as nothing of CUDA's may be there that shows them."""
import struct

from _gpu_code import CHIPS, GpuCode, plan
from _ptxas import find_ptxas
from _suite import Suite
from gpu_image import read_global

MAGIC, PTX, ELF, CUDA = 0xBA55ED50, 1, 2, 190
STEP = "captured/mixer"


def parts(image):
    """(kind, chip, bytes) of each part: a header that says how long it and what follows are."""
    magic, _, header, size = struct.unpack_from("<IHHQ", image)
    assert magic == MAGIC, f"magic {magic:x}"
    at, end = header, header + size
    while at < end:
        kind, _, header, size = struct.unpack_from("<HHIQ", image, at)
        chip, = struct.unpack_from("<I", image, at + 28)
        yield kind, f"sm_{chip}", image[at + header:at + header + size]
        at += header + size


def main():
    suite = Suite()
    if not find_ptxas():
        suite.skip("all", "no ptxas in $CUDA_HOME/bin or PATH")
        suite.close()
    planned = plan(STEP)
    # The last null belongs to the parts.
    image = read_global(GpuCode(planned, format="fatbin").text.encode(), "memopt_gpu_image")
    found = list(parts(image))
    suite.check("cubins for the chips, PTX for later ones",
                [(kind, chip) for kind, chip, _ in found] == [(ELF, chip) for chip in CHIPS] + [(PTX, CHIPS[-1])],
                [(kind, chip, len(data)) for kind, chip, data in found])
    names = {launch["kernel"] for launch in GpuCode(planned).description()["launches"]}
    for kind, chip, data in found:
        if kind == ELF:
            machine, = struct.unpack_from("<H", data, 18)
            suite.check(f"{chip} is a cubin", data[:4] == b"\x7fELF" and machine == CUDA, f"{data[:4]}, {machine}")
            missing = [name for name in names if f"\0.text.{name}\0".encode() not in data]
            suite.check(f"{chip} has every kernel", not missing, missing[:5])
    suite.close()


if __name__ == "__main__":
    main()
