"""The kernels of _kernels.py as GPU code, run by the emulator."""
import ctypes
import json
import pathlib
import tempfile

import numpy as np

from _kernels import CLANG, KernelError, Kernels, from_memory, optimize, split_type, to_memory, tool
from _suite import BUILD, LLVM_BIN
from gpu_image import read_global  # _suite made it importable

RUNTIME = BUILD / "lib" / "libmemopt_emulator_runtime.so"
TEXT = ctypes.c_char_p


class EmulatedKernels(Kernels):
    """`order` is the order of blocks and of a block's threads: forward or reverse. The step runs `times`
    times, on the same memory."""

    order = "forward"
    times = 1

    def compile(self, flags=("-O1",), runtime=None):
        self.load(optimize(self.step(), "--memopt-to-nvvm=format=llvm"), flags)
        return self

    def load(self, code, flags=("-O1",)):
        """Makes the host code of a module that memopt-to-nvvm wrote ready to run."""
        self.description = json.loads(read_global(code.encode(), "memopt_step_description"))
        llvm = tool([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir", "-"], code)
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        (path / "step.ll").write_text(llvm)
        tool([CLANG, *flags, "-shared", "-fPIC", "-Wno-override-module", path / "step.ll", RUNTIME,
              f"-Wl,-rpath,{RUNTIME.parent}", "-o", path / "step.so"], "")
        self.library = ctypes.CDLL(str(path / "step.so"))
        self.runtime = ctypes.CDLL(str(RUNTIME))

    def call(self, name, *arguments):
        function = self.runtime[f"memopt_gpu_{name}"]
        function.restype = TEXT
        if message := function(*arguments):
            raise KernelError(message.decode())

    def allocate(self, size):
        memory = ctypes.c_void_p()
        self.call("allocate", ctypes.c_int64(max(size, 1)), ctypes.byref(memory))
        return memory

    def run(self, inputs):
        self.call("set_option", b"thread-order", self.order.encode())
        self.call("open", 0)
        pointers, outs = [], []
        for arrays, (ins, results) in zip(inputs, self.types):
            for array, type_ in zip(arrays, ins):
                memory = to_memory(array, split_type(type_)[1])
                pointers.append(self.allocate(memory.nbytes))
                self.call("copy_in", pointers[-1], ctypes.c_void_p(memory.ctypes.data), ctypes.c_int64(memory.nbytes))
            outs.append([])
            for type_ in results:
                shape, element = split_type(type_)
                outs[-1].append((to_memory(np.zeros(shape), element), element, len(pointers)))
                pointers.append(self.allocate(outs[-1][-1][0].nbytes))
        arena = self.allocate(self.description["arena_bytes"])
        for _ in range(self.times):
            self.library.memopt_step((ctypes.c_void_p * len(pointers))(*[p.value for p in pointers]), arena)
            self.call("synchronize")
        for array, _, number in (entry for results in outs for entry in results):
            self.call("copy_out", ctypes.c_void_p(array.ctypes.data), pointers[number], ctypes.c_int64(array.nbytes))
        self.runtime.memopt_gpu_close()
        return [[from_memory(a, e) for a, e, _ in results] for results in outs]
