"""Kernels in PTX, and what NVIDIA's assembler says of each. Kernels of one text, as a step and
its LoRA have them, are assembled once."""
import os
import re
import shutil
import tempfile

from _suite import command

ENTRY = re.compile(r"^\.visible \.entry (\w+)\(.*?^\}$", re.M | re.S)
SAID = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                  r"(\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)", re.S)


def find_ptxas():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas", path=f"{home}/bin") or shutil.which("ptxas")


def version(ptxas):
    return command([ptxas, "--version"])[1].strip().splitlines()[-1]


def split(ptx):
    """What stands outside of kernels, and the text of each kernel by name."""
    return ENTRY.sub("", ptx), {m[1]: m[0] for m in ENTRY.finditer(ptx)}


def signatures(ptx):
    """The text of each kernel under no name, with the variables that it uses."""
    outside, kernels = split(ptx)
    variables = [line for line in outside.splitlines() if re.match(r"\.[\w. ]*\.(global|shared|const)\b", line)]
    names = [re.search(r"(\w+)(?:\[\d*\])?(?:;| =)", v) for v in variables]
    found = {}
    for name, text in kernels.items():
        words = set(re.findall(r"\w+", text))
        used = [v for v, n in zip(variables, names) if n and n[1] in words]
        found[name] = re.sub(rf"\b{name}(?=\b|_)", "kernel", "\n".join([*used, text]))
    return found


class Assembler:
    """`numbers[chip, signature]` are registers, bytes of shared memory, of stack, of spills."""

    def __init__(self, ptxas):
        self.ptxas, self.numbers = ptxas, {}

    def assemble(self, ptx, chip):
        """The numbers of each kernel by name; those that are known are not assembled again."""
        signed = signatures(ptx)
        fresh = {}
        for name, signature in signed.items():
            if (chip, signature) not in self.numbers:
                fresh.setdefault(signature, name)
        if fresh:
            said = self.run(ptx, set(fresh.values()), chip)
            for signature, name in fresh.items():
                self.numbers[chip, signature] = said[name]
        return {name: self.numbers[chip, signature] for name, signature in signed.items()}

    def run(self, ptx, names, chip):
        outside, kernels = split(ptx)
        text = outside + "\n".join(text for name, text in kernels.items() if name in names)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            code, _, err = command([self.ptxas, "-v", f"--gpu-name={chip}", file.name, "-o", os.devnull])
        if code:
            raise RuntimeError(err)
        found = {}
        for kernel, stack, stores, loads, registers, rest in SAID.findall(err):
            shared = re.search(r"(\d+) bytes smem", rest)
            found[kernel] = (int(registers), int(shared[1]) if shared else 0, int(stack), int(stores) + int(loads))
        return found
