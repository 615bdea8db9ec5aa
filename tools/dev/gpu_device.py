"""A compiled step on a device, by the runtime library of include/MemOpt/Runtime/Gpu.h."""
import ctypes
import json
import time

TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "uint16", "i1": "int8",
         "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"}

# ---- The runtime library ---------------------------------------------------------------


class Fault(Exception):
    """What the runtime says went wrong."""


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in
                ("launches", "products", "allocations", "copies", "synchronisations")]


class Device:
    """Runtime/Gpu.h."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        for name in ("open", "set_option", "describe", "allocate", "free", "copy_in", "copy_out",
                     "poison", "synchronize", "kernel_times", "begin_capture", "end_capture",
                     "run_graph"):
            self.find(name).restype = ctypes.c_char_p
        self.find("touched_bytes").restype = ctypes.c_int64
        self("open", ctypes.c_int(0))

    def find(self, name):
        return getattr(self.library, f"memopt_gpu_{name}")

    def __call__(self, name, *arguments):
        answer = self.find(name)(*arguments)
        if answer is not None:
            raise Fault(answer.decode())

    def describe(self):
        return json.loads(self.find("describe")().decode())

    def option(self, name, value):
        self("set_option", name.encode(), value.encode())

    def allocate(self, size):
        memory = ctypes.c_void_p()
        self("allocate", ctypes.c_int64(size), ctypes.byref(memory))
        return memory

    def copy_in(self, to, array):
        self("copy_in", to, ctypes.c_void_p(array.ctypes.data), ctypes.c_int64(array.nbytes))

    def copy_out(self, array, source):
        self("copy_out", ctypes.c_void_p(array.ctypes.data), source, ctypes.c_int64(array.nbytes))

    def counts(self):
        counts = Counts()
        self.find("count")(ctypes.byref(counts))
        return {name: getattr(counts, name) for name, _ in Counts._fields_}

    def times(self):
        found = []
        visitor = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64,
                                   ctypes.c_int64)
        self("kernel_times", visitor(lambda _, name, launches, ns: found.append(
            {"kernel": name.decode(), "launches": launches, "seconds": ns * 1e-9})), None)
        return found

    def bandwidth(self, size):
        """Bytes a second that a fill of device memory writes, the best of five."""
        memory = self.allocate(size)
        best = float("inf")
        for _ in range(5):
            self("synchronize")
            start = time.perf_counter()
            self("poison", memory, ctypes.c_int64(size), ctypes.c_uint8(0))
            self("synchronize")
            best = min(best, time.perf_counter() - start)
        self("free", memory)
        return size / best


class Step:
    """A compiled step with its memory on the device."""

    def __init__(self, device, path, numpy):
        self.device, self.np = device, numpy
        library = ctypes.CDLL(str(path))
        self.function = library.memopt_step
        self.description = json.loads(
            ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(
                library, "memopt_step_description"))))
        self.globals = self.initial_globals(library)
        self.arena_bytes = self.description["arena_bytes"]
        self.arena = device.allocate(self.arena_bytes)
        self.buffers = [device.allocate(self.bytes_of(a)) for a in self.description["arguments"]]
        self.pointers = (ctypes.c_void_p * len(self.buffers))(*(b.value for b in self.buffers))

    def initial_globals(self, library):
        size = self.description.get("globals_bytes", 0)
        if not size:
            return None
        block = (ctypes.c_char * size).in_dll(library, "memopt_step_globals")
        return self.np.frombuffer(bytes(block), self.np.uint8).copy()

    def bytes_of(self, tensor):
        count = int(self.np.prod(tensor["shape"], dtype=self.np.int64))
        return count * self.np.dtype(TYPES[tensor["type"]]).itemsize

    def place(self, offset):
        return ctypes.c_void_p(self.arena.value + offset)

    def load(self, arrays):
        """Arguments from an .npz, else small random numbers."""
        np, random = self.np, self.np.random.default_rng(0)
        self.arguments = []
        for i, argument in enumerate(self.description["arguments"]):
            array = arrays.get(f"arg{i}")
            if array is None and argument["type"] in ("f32", "f64", "f16"):
                array = random.normal(0, 0.1, argument["shape"])
            elif array is None and argument["type"] == "bf16":
                array = random.normal(0, 0.1, argument["shape"]).astype(np.float32)
            elif array is None:
                array = random.integers(0, 2, argument["shape"])
            self.arguments.append(self.encode(array, argument["type"]))
        self.restore()

    def encode(self, array, kind):
        np = self.np
        if kind != "bf16" or array.dtype != np.float32:
            array = array.view(np.uint16) if array.dtype.itemsize == 2 and kind == "bf16" else array
            return np.ascontiguousarray(array, TYPES[kind])
        bits = np.ascontiguousarray(array).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)

    def restore(self):
        for buffer, array in zip(self.buffers, self.arguments):
            self.device.copy_in(buffer, array)
        if self.globals is not None:
            self.device.copy_in(self.place(self.description["globals_offset"]), self.globals)

    def run(self):
        """Seconds until the step is done."""
        start = time.perf_counter()
        self.function(self.pointers, self.arena)
        self.device("synchronize")
        return time.perf_counter() - start

    def results(self):
        np, found = self.np, []
        for result in self.description["results"]:
            array = np.empty(result["shape"], TYPES[result["type"]])
            source = (self.place(result["offset"]) if "offset" in result
                      else self.buffers[result["argument"]])
            self.device.copy_out(array, source)
            if result["type"] == "bf16":
                array = (array.astype(np.uint32) << 16).view(np.float32).reshape(result["shape"])
            found.append(array)
        return found

    def touched(self):
        """One past the last byte of the arena that the step writes: see Run/Measure.h."""
        known, end = 0, 0
        for value in (0x00, 0xFF):
            self.device("poison", self.arena, ctypes.c_int64(self.arena_bytes),
                        ctypes.c_uint8(value))
            self.restore()
            self.run()
            known = self.device.find("touched_bytes")(self.arena)
            if known >= 0:
                return known
            arena = self.np.empty(self.arena_bytes, self.np.uint8)
            self.device.copy_out(arena, self.arena)
            other = self.np.flatnonzero(arena != value)
            end = max(end, int(other[-1]) + 1 if len(other) else 0)
        return end
