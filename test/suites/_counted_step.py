"""A step on random inputs on the emulator, which adds up the bytes that each kernel moves."""
import ctypes

import numpy as np

from _emulated_kernels import EmulatedKernels
from _kernels import to_memory


class Bytes(ctypes.Structure):
    """memopt_emulator_bytes of MemOpt/Runtime/Emulator.h."""
    _fields_ = [(name, ctypes.c_int64)
                for name in ("launches", "loaded", "stored", "read", "written", "reread")]


VISITOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Bytes))


class CountedStep(EmulatedKernels):
    def __init__(self, code):
        super().__init__()
        self.load(code.text)

    def argument(self, rng, argument):
        """Small ids, so that each is within a table."""
        shape, element = argument["shape"], argument["type"]
        whole = element.startswith("i") or element == "index"
        array = rng.integers(0, 2, shape) if whole else rng.standard_normal(shape)
        memory = to_memory(array, "i64" if element == "index" else element)
        pointer = self.allocate(memory.nbytes)
        self.copy_in(pointer, memory.ctypes.data, memory.nbytes)
        return pointer

    def copy_in(self, to, data, size):
        self.call("copy_in", to, ctypes.c_void_p(data), ctypes.c_int64(size))

    def count(self):
        """Bytes by kernel."""
        self.call("open", 0)
        self.call("set_option", b"count-bytes", b"on")
        rng = np.random.default_rng(5)
        arguments = [self.argument(rng, a) for a in self.description["arguments"]]
        arena = self.allocate(self.description["arena_bytes"])
        if size := self.description.get("globals_bytes"):
            globals_ = ctypes.addressof(ctypes.c_char.in_dll(self.library, "memopt_step_globals"))
            self.copy_in(ctypes.c_void_p(arena.value + self.description["globals_offset"]), globals_, size)
        pointers = (ctypes.c_void_p * max(len(arguments), 1))(*[a.value for a in arguments])
        self.library.memopt_step(pointers, arena)
        self.call("synchronize")
        found = {}

        def keep(_, kernel, counted):
            found[kernel.decode()] = {field: getattr(counted[0], field) for field, _ in Bytes._fields_}

        self.runtime.memopt_emulator_visit_bytes(VISITOR(keep), None)
        self.runtime.memopt_gpu_close()
        return found
