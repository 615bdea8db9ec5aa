"""Functions whose kernels must move no byte twice, each alone in a step of real size. What it
must move is what it is given and what it gives: the step's arguments and results."""
import math

from _kernels import split_type

BYTES = {"f32": 4, "bf16": 2, "i8": 1}
IDS = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"


def tensor(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def size(type_):
    shape, element = split_type(type_)
    return math.prod(shape) * BYTES[element]


class Function:
    """`body` computes `results` from `arguments`, all by name; in the backward unless `forward`."""

    def __init__(self, name, arguments, body, results, forward=False, unread=()):
        self.name, self.arguments, self.body, self.results = name, arguments, body, results
        self.forward, self.unread = forward, unread

    def least(self):
        read = [t for n, t in self.arguments.items() if n not in self.unread]
        return sum(size(t) for t in [*read, *self.results.values()])

    def step(self):
        """The loss and its gradient are of one number each: they weigh nothing."""
        one = "tensor<1xf32>"
        loss = f"%loss = math.exp %s : {one}\n"
        arguments = ", ".join(f"%{n}: {t}" for n, t in [("s", one), *self.arguments.items()])
        results = [("loss", one), *self.results.items(), ("grad", one)]
        types = ", ".join(t for _, t in results)
        text = self.body + loss if self.forward else loss + self.body
        return (f"func.func @step({arguments}) -> ({types}) {{\n{text}"
                f"%grad = math.exp %loss : {one}\nreturn {', '.join('%' + n for n, _ in results)} : {types}\n}}\n")


def norm(kind, x, w, wide, row):
    affine, types = ("gamma(%w) beta(%b)", f"{w}, {w}") if kind == "layer" else ("gamma(%w)", w)
    arguments = {"x": x, "w": w} | ({"b": w} if kind == "layer" else {})
    body = (f"%y, %xhat, %rstd = memopt.norm {kind} %x {affine} epsilon 1.0e-5 : ({x}, {types}) -> ({x}, {wide}, {row})\n")
    return arguments, body


def norm_functions(kind, label, rows, columns, element):
    x, w = tensor(rows, columns, element=element), tensor(columns, element=element)
    wide, row = tensor(rows, columns), tensor(rows)
    arguments, body = norm(kind, x, w, wide, row)
    where = f"{label}, {rows} x {columns} {element}"
    shared = {"g": x, "xhat": wide, "rstd": row}
    grad = f"%dx, %dw, %db = memopt.norm_output_grad {kind} %g, %xhat, %rstd gamma(%w) : ({x}, {wide}, {row}, {w}) -> ({x}, {w}, {w})\n"
    from_x = f"%dx, %dw, %db = memopt.norm_grad {kind} %g, %x gamma(%w) epsilon 1.0e-5 : ({x}, {x}, {w}) -> ({x}, {w}, {w})\n"
    sums = {"dw": w} | ({"db": w} if kind == "layer" else {})
    return [Function(f"{where}, with x_hat", arguments, body, {"y": x, "xhat": wide, "rstd": row}, forward=True),
            Function(f"{where}, output only", arguments, body, {"y": x}, forward=True),
            Function(f"{where}, gradient of x from x_hat", shared | {"w": w}, grad, {"dx": x}),
            Function(f"{where}, gradient of x from x", {"g": x, "x": x, "w": w}, from_x, {"dx": x}),
            # Which do not need rstd and gamma.
            Function(f"{where}, gradients of gamma and beta", shared | {"w": w}, grad, sums, unread=("rstd", "w")),
            Function(f"{where}, all gradients", shared | {"w": w}, grad, {"dx": x} | sums)]


def generic(name, operands, maps, result, body, element="f32"):
    """An elementwise op on named operands."""
    ins = ", ".join(f"%{o}" for o, _ in operands)
    types = ", ".join(t for _, t in operands)
    arguments = ", ".join(f"%i{k}: {split_type(t)[1]}" for k, (_, t) in enumerate(operands))
    maps = ", ".join([*maps, IDS[0]])
    return (f"%{name}e = tensor.empty() : {result}\n"
            f"%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\"]}} "
            f"ins({ins} : {types}) outs(%{name}e : {result}) {{\n^bb0({arguments}, %o: {element}):\n{body}\n}} -> {result}\n")


def reduce(name, operand, x, row, op, init):
    return (f"%{name}c = arith.constant {init} : f32\n%{name}i = tensor.empty() : {row}\n"
            f"%{name}f = linalg.fill ins(%{name}c : f32) outs(%{name}i : {row}) -> {row}\n"
            f"%{name} = linalg.reduce {{ {op} }} ins(%{operand} : {x}) outs(%{name}f : {row}) dimensions = [1]\n")


def softmax_functions(rows, columns):
    x, row = tensor(rows, columns), tensor(rows)
    where = f"softmax, {rows} x {columns} f32"
    forward = (reduce("max", "x", x, row, "arith.maximumf", "0xFF800000")
               + generic("e", [("x", x), ("max", row)], IDS, x, "%d = arith.subf %i0, %i1 : f32\n%r = math.exp %d : f32\nlinalg.yield %r : f32")
               + reduce("sum", "e", x, row, "arith.addf", "0.0")
               + generic("p", [("e", x), ("sum", row)], IDS, x, "%r = arith.divf %i0, %i1 : f32\nlinalg.yield %r : f32"))
    backward = (generic("gp", [("g", x), ("p", x)], (IDS[0], IDS[0]), x, "%r = arith.mulf %i0, %i1 : f32\nlinalg.yield %r : f32")
                + reduce("sum", "gp", x, row, "arith.addf", "0.0")
                + generic("dx", [("g", x), ("p", x), ("sum", row)], (IDS[0], IDS[0], IDS[1]), x,
                          "%d = arith.subf %i0, %i2 : f32\n%r = arith.mulf %d, %i1 : f32\nlinalg.yield %r : f32"))
    return [Function(where, {"x": x}, forward, {"p": x}, forward=True),
            Function(f"{where}, gradient", {"g": x, "p": x}, backward, {"dx": x})]


def activation_functions(kind, rows, columns, element):
    x, code = tensor(rows, columns, element=element), tensor(rows, columns // 4, element="i8")
    where = f"{kind}, {rows} x {columns} {element}"
    value = f"%y = memopt.activation {kind} %x : {x} -> {x}\n"
    encode = f"%code = memopt.encode %x thresholds [-3.17, 0.0, 3.17] : {x} -> {code}\n"
    return [Function(where, {"x": x}, value, {"y": x}, forward=True),
            Function(f"{where}, gradient", {"g": x, "x": x}, f"%dx = memopt.activation_grad {kind} %g, %x : {x}, {x} -> {x}\n", {"dx": x}),
            Function(f"{where}, with its code", {"x": x}, value + encode, {"y": x, "code": code}, forward=True),
            Function(f"{where}, gradient from the code", {"g": x, "code": code},
                     f"%dx = memopt.step_grad %g, %code slopes [0.0, -0.05, 1.05, 1.0] : {x}, {code} -> {x}\n", {"dx": x})]


def functions(part=1):
    """At the sizes of GPT-2 small with 8 x 1024 tokens and of LLaMA-7B with 2048; or as many rows less."""
    return [*norm_functions("layer", "LayerNorm", 8192 // part, 768, "f32"),
            *norm_functions("rms", "RMSNorm", 2048 // part, 4096, "bf16"),
            *softmax_functions(8192 // part, 1024),
            *activation_functions("gelu_tanh", 8192 // part, 3072, "f32"),
            *activation_functions("gelu_erf", 8192 // part, 3072, "f32"),
            *activation_functions("silu", 2048 // part, 11008, "bf16")]


def odd_functions():
    """Rows that do not stay in registers, sums in chunks, sizes that no vector divides."""
    return [*softmax_functions(3, 20001), *norm_functions("layer", "LayerNorm", 4100, 24, "f32"),
            *norm_functions("rms", "RMSNorm", 5, 77, "bf16"), *activation_functions("silu", 7, 1004, "bf16")]
