#!/usr/bin/env python3
"""Random steps through memopt-form-kernels and into an arena: kernels put back give the
same bits, what is returned included, and no byte is overwritten while it is needed.

The steps hold what captured ones rarely do: glue over glue, ops of several results, scalars
between kernels, results that are views, constants, arguments or returned twice."""
import random

from _suite import ALL, BUILD, Suite, command
import compare_results
import run_step

ROWS, COLUMNS = 4, 6
SHAPES = [(ROWS, COLUMNS), (COLUMNS, ROWS), (ROWS,), (COLUMNS,), ()]


def text(shape):
    return f"tensor<{''.join(f'{d}x' for d in shape)}f32>"


class Step:
    """A random step: values by shape, and the lines that make them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.values, self.count = [], {}, 0
        self.arguments = [self.name(shape) for shape in SHAPES for _ in range(2)]

    def name(self, shape):
        self.count += 1
        self.values.setdefault(shape, []).append(f"%v{self.count}")
        return f"%v{self.count}", shape

    def pick(self, shape):
        return self.random.choice(self.values[shape][-6:])

    def emit(self, shape, line):
        """Emits `line`, in which {0} stands for the result, and names it afterwards."""
        name = f"%v{self.count + 1}"
        self.lines.append("  " + line.format(name))
        return self.name(shape)

    def empty(self, shape):
        self.count += 1
        self.lines.append(f"  %e{self.count} = tensor.empty() : {text(shape)}")
        return f"%e{self.count}"

    def elementwise(self, shape):
        if self.random.random() < 0.4:
            op = self.random.choice(["math.tanh", "math.sin", "arith.negf"])
            self.emit(shape, f"{{0}} = {op} {self.pick(shape)} : {text(shape)}")
        else:
            op = self.random.choice(["arith.addf", "arith.mulf", "arith.subf"])
            self.emit(shape, f"{{0}} = {op} {self.pick(shape)}, {self.pick(shape)} : {text(shape)}")

    def transpose(self, shape):
        source = self.pick(shape)
        to = shape[::-1]
        self.emit(to, f"{{0}} = linalg.transpose ins({source} : {text(shape)}) "
                      f"outs({self.empty(to)} : {text(to)}) permutation = [1, 0]")

    def broadcast(self, shape):
        dimension = self.random.randrange(2)
        part = (shape[1 - dimension],)
        self.emit(shape, f"{{0}} = linalg.broadcast ins({self.pick(part)} : {text(part)}) "
                         f"outs({self.empty(shape)} : {text(shape)}) dimensions = [{dimension}]")

    def reduce(self, shape):
        dimension = self.random.randrange(2)
        part = (shape[1 - dimension],)
        zero = self.emit(part, f"{{0}} = arith.constant dense<0.0> : {text(part)}")[0]
        self.emit(part, f"{{0}} = linalg.reduce {{{{arith.addf}}}} ins({self.pick(shape)} : {text(shape)}) "
                        f"outs({zero} : {text(part)}) dimensions = [{dimension}]")

    def matmul(self, shape):
        to = (shape[0], shape[0])
        zero = self.emit(to, f"{{0}} = arith.constant dense<0.5> : {text(to)}")[0]
        product = self.emit(to, f"{{0}} = linalg.matmul ins({self.pick(shape)}, {self.pick(shape[::-1])} : "
                                f"{text(shape)}, {text(shape[::-1])}) outs({zero} : {text(to)}) -> {text(to)}")[0]
        self.emit(shape, f"{{0}} = linalg.matmul ins({product}, {self.pick(shape)} : {text(to)}, {text(shape)}) "
                         f"outs({self.pick(shape)} : {text(shape)}) -> {text(shape)}")

    def reshape(self, shape):
        flat = (shape[0] * shape[1],)
        name = self.emit(flat, f"{{0}} = tensor.collapse_shape {self.pick(shape)} [[0, 1]] : "
                               f"{text(shape)} into {text(flat)}")[0]
        if self.random.random() < 0.7:
            name = self.emit(flat, f"{{0}} = math.cos {name} : {text(flat)}")[0]
        self.emit(shape, f"{{0}} = tensor.expand_shape {name} [[0, 1]] output_shape "
                         f"[{shape[0]}, {shape[1]}] : {text(flat)} into {text(shape)}")

    def slices(self, shape):
        part = (2, shape[1])
        name = self.emit(part, f"{{0}} = tensor.extract_slice {self.pick(shape)}[1, 0] [2, {shape[1]}] [1, 1] : "
                               f"{text(shape)} to {text(part)}")[0]
        if self.random.random() < 0.5:
            name = self.emit(part, f"{{0}} = math.sin {name} : {text(part)}")[0]
        self.emit(shape, f"{{0}} = tensor.insert_slice {name} into {self.pick(shape)}[0, 0] [2, {shape[1]}] "
                         f"[1, 1] : {text(part)} into {text(shape)}")

    def scalar(self, shape):
        # A storage of its own: what is behind a transpose or a splat is refused.
        made = self.emit((), f"{{0}} = math.tanh {self.pick(())} : tensor<f32>")[0]
        self.lines.append(f"  %s{self.count} = tensor.extract {made}[] : tensor<f32>")
        self.emit(shape, f"{{0}} = tensor.splat %s{self.count} : {text(shape)}")

    def two_results(self, shape):
        """One result computed, one transposed; or both only handed on."""
        source, to = self.pick(shape), shape[::-1]
        first, second = self.empty(shape), self.empty(to)
        compute = "%t = math.tanh %in : f32\n    linalg.yield %t, %in : f32, f32"
        body = self.random.choice([compute, "linalg.yield %in, %in : f32, f32"])
        self.count += 1
        pair = f"%p{self.count}"
        self.lines.append(f"""  {pair}:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}}
      ins({source} : {text(shape)}) outs({first}, {second} : {text(shape)}, {text(to)}) {{
    ^bb0(%in: f32, %o0: f32, %o1: f32):
    {body}
  }} -> ({text(shape)}, {text(to)})""")
        self.values[shape].append(f"{pair}#0")
        self.values[to].append(f"{pair}#1")

    def fence(self, shape):
        self.emit(shape, f"{{0}} = memopt.fence {self.pick(shape)} after {self.pick((ROWS,))} : "
                         f"{text(shape)}, {text((ROWS,))}")

    def module(self, length):
        for i in range(length):
            shape = self.random.choice([(ROWS, COLUMNS), (COLUMNS, ROWS)])
            kind = self.random.choice([self.transpose, self.broadcast, self.reduce, self.matmul, self.reshape,
                                       self.slices, self.scalar, self.two_results, self.fence]
                                      + 6 * [self.elementwise])
            kind(shape)
            if i == length // 2:
                loss = self.emit((), f"{{0}} = math.tanh {self.pick(())} : tensor<f32>")[0]
        results = [(loss, ())]
        for _ in range(8):
            shape = self.random.choice(SHAPES[:4])
            results.append((self.pick(shape), shape))
        results += [results[-1], self.arguments[0]]
        last = self.emit((ROWS,), f"{{0}} = math.cos {self.pick((ROWS,))} : {text((ROWS,))}")
        results.append(last)
        signature = ", ".join(f"{n}: {text(s)}" for n, s in self.arguments)
        types = ", ".join(text(s) for _, s in results)
        body = "\n".join(self.lines)
        return (f"func.func @random_step({signature}) -> ({types}) {{\n{body}\n"
                f"  return {', '.join(n for n, _ in results)} : {types}\n}}\n")


def check(suite, seed, length):
    name = f"seed {seed}"
    source = Step(seed).module(length)
    code, arena, error = command([BUILD / "bin" / "mem-opt", "-", "--memopt-to-arena-pipeline"], input=source)
    if not suite.check(f"{name} gets its arena", code == 0, error[:800]):
        return
    suite.check(f"{name}: no copies", "memref.copy" not in arena)
    try:
        plain = run_step.compile_step(run_step.optimize(source, "memopt-to-linalg{fence=none}", BUILD), build=BUILD)
        formed = run_step.compile_step(
            run_step.optimize(source, "memopt-form-kernels,memopt-verify-plan,memopt-inline-kernels", BUILD),
            build=BUILD)
        arguments = run_step.arguments_of(run_step.random_arguments(plain, seed), plain)
        pairs = list(zip(run_step.run(plain, arguments), run_step.run(formed, arguments)))
    except run_step.StepError as error:
        suite.check(f"{name} runs", False, str(error)[:800])
        return
    differ = [i for i, (a, b) in enumerate(pairs) if not compare_results.same_bits(a, b)]
    suite.check(f"{name}: the same bits", not differ, f"results {differ} of {len(pairs)}")


def main():
    suite = Suite()
    for seed in range(200 if ALL else 8):
        check(suite, seed, 60)
    suite.close()


if __name__ == "__main__":
    main()
