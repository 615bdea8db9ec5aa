#!/usr/bin/env python3
"""The kernels within a step that memopt-to-nvvm wrote: reads the module from
standard input and writes its image (PTX as text, else bytes) or, with
--description, its description."""
import argparse
import re
import sys

ESCAPE = re.compile(rb'\\([0-9A-Fa-f]{2}|["\\nt])')
PLAIN = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


def unescape(text):
    """The bytes of a string as MLIR prints it."""
    return ESCAPE.sub(lambda m: PLAIN.get(m[1]) or bytes([int(m[1], 16)]), text)


def read_global(module, name):
    """The bytes of a constant string of the module, without a null at its end."""
    start = module.find(b"@" + name.encode() + b'("')
    if start < 0:
        sys.exit(f"no @{name}: not a module that memopt-to-nvvm wrote")
    start = module.index(b'"', start) + 1
    end = module.index(b'"', start)  # a quote within is \22
    return unescape(module[start:end]).removesuffix(b"\0")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--description", action="store_true")
    options = parser.parse_args()
    name = "memopt_step_description" if options.description else "memopt_gpu_image"
    sys.stdout.buffer.write(read_global(sys.stdin.buffer.read(), name))
