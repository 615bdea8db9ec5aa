"""Steps that nobody wrote: a captured step in generic form with one thing changed."""
import random
import re

SCALARS = {"arith": ["addf", "subf", "mulf", "divf", "maximumf", "minimumf"],
           "math": ["exp", "tanh", "sqrt", "rsqrt", "log", "absf", "erf", "sin", "cos", "exp2", "log1p", "floor"]}
NUMBERS = ["0.000000e+00", "1.000000e+00", "-1.000000e+00", "2.500000e-01", "-3.000000e+00", "1.000000e-30", "1.000000e+30"]
INFINITIES = {"f64": "FF0000000000000", "f16": "C00", "bf16": "F80"}
NUMBER = re.compile(r"-?\d\.\d+e[+-]\d+")
NAME = re.compile(r"%\w+")


class StepText:
    """A step as `--mlir-print-op-generic` writes it, cut into the ops of its function. The
    last op is the return."""

    def __init__(self, text):
        lines = text.splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("  ^bb0(")) + 1
        end = max(i for i, line in enumerate(lines) if line.startswith('    "func.return"'))
        self.head, self.ops, self.tail = lines[:begin], [], lines[end + 1:]
        for line in lines[begin:end + 1]:
            if re.match(r' {4}[%"]', line):
                self.ops.append([])
            self.ops[-1].append(line)
        self.types = {name: (-1, type_) for name, type_ in re.findall(r"(%\w+): (tensor<[^>]*>)", self.head[-1])}
        for i, op in enumerate(self.ops):
            name, type_ = re.match(r"    (%\w+) = ", op[0]), re.search(r" -> (tensor<[^>]*>)$", op[-1])
            if name and type_:
                self.types[name[1]] = (i, type_[1])

    def __str__(self):
        return "\n".join([*self.head, *(line for op in self.ops for line in op), *self.tail]) + "\n"

    def returned(self):
        """[(value, type)] of the return."""
        values, types = re.search(r'"func.return"\((.*)\) : \((.*)\) -> \(\)', self.ops[-1][0]).groups()
        return list(zip(values.split(", "), re.split(r", (?=tensor<)", types)))

    def set_returned(self, results):
        values, types = zip(*results)
        self.ops[-1] = [f'    "func.return"({", ".join(values)}) : ({", ".join(types)}) -> ()']
        for i, line in enumerate(self.head):
            if "function_type = (" in line:
                line = re.sub(r", res_attrs = \[.*?\]", "", line)
                self.head[i] = re.sub(r"(function_type = \(.*?\) -> )\(.*?\)", rf"\1({', '.join(types)})", line)


def change_operand(step, rng):
    """An op reads another value of the type, one that is made before it."""
    i = rng.randrange(len(step.ops))
    read = [n for n in re.findall(NAME, re.search(r'"\(([^)]*)\)', step.ops[i][0])[1]) if n in step.types]
    if not read:
        return False
    old = rng.choice(read)
    others = [n for n, (at, type_) in step.types.items() if type_ == step.types[old][1] and at < i and n != old]
    if others:
        step.ops[i][0] = re.sub(rf"{old}\b(?=.*\) <?)", rng.choice(others), step.ops[i][0], count=1)
    return bool(others)


def change_line(step, rng, pattern, replacement):
    """Replaces the first match in a random line that has one."""
    places = [(i, j) for i, op in enumerate(step.ops) for j, line in enumerate(op) if re.search(pattern, line)]
    if not places:
        return False
    i, j = rng.choice(places)
    step.ops[i][j] = re.sub(pattern, replacement, step.ops[i][j], count=1)
    return True


def change_constant(step, rng):
    return change_line(step, rng, rf'(?<=constant"\(\) <{{value = ){NUMBER.pattern}', rng.choice(NUMBERS))


def change_scalar(step, rng):
    dialect = rng.choice(sorted(SCALARS))
    names = SCALARS[dialect]
    return change_line(step, rng, rf'"{dialect}\.({"|".join(names)})"', f'"{dialect}.{rng.choice(names)}"')


def change_body(step, rng):
    """A scalar op's operands change places, or one stands for both."""
    return change_line(step, rng, r'("(?:arith|math)\.\w+")\((%\w+), (%\w+)\)',
                       rng.choice([r"\1(\3, \2)", r"\1(\2, \2)", r"\1(\3, \3)"]))


def drop_results(step, rng):
    results = step.returned()
    if len(results) > 2:
        kept = rng.sample(range(1, len(results)), rng.randrange(1, len(results) - 1))
        step.set_returned([results[i] for i in [0, *sorted(kept)]])
    return len(results) > 2


def add_result(step, rng):
    """One value more is returned: an argument, one of the middle, or what is returned already."""
    results = step.returned()
    values = [(n, type_) for n, (_, type_) in step.types.items()]
    step.set_returned(results + [rng.choice(values + results)])
    return True


def change_element(step, rng):
    """f32 becomes another type everywhere."""
    new = rng.choice(sorted(INFINITIES))
    for lines in (step.head, *step.ops, step.tail):
        for i, line in enumerate(lines):
            line = re.sub(r"0x([F7])F800000\b", rf"0x\g<1>{INFINITIES[new]}", line)
            lines[i] = re.sub(r"\bf32\b", new, line)
    return True


def change_order(step, rng):
    """Any order in which ops stand after what they read; side effects keep theirs."""
    maker = {m[1]: i for i, op in enumerate(step.ops) if (m := re.match(r"    (%\w+)", op[0]))}
    before = []
    effect = None
    for i, op in enumerate(step.ops):
        before.append({maker[n] for n in re.findall(NAME, " ".join(op)) if maker.get(n, i) != i})
        if re.search(r"cf\.assert|ml_program", " ".join(op)):
            before[-1] |= set() if effect is None else {effect}
            effect = i
    placed, left = [], set(range(len(step.ops) - 1))
    while left:
        ready = sorted(i for i in left if before[i].issubset(placed))
        placed.append(rng.choice(ready))
        left.remove(placed[-1])
    step.ops = [step.ops[i] for i in placed] + step.ops[-1:]
    return True


CHANGES = [change_operand, change_operand, change_constant, change_scalar, change_scalar, change_body, drop_results,
           add_result, change_element, change_order]


def mutate(text, seed):
    """(what was changed, text) of a step with one to three changes."""
    rng, names = random.Random(seed), []
    for _ in range(rng.choice([1, 1, 2, 3])):
        step = StepText(text)
        change = rng.choice(CHANGES)
        if change(step, rng):
            names.append(change.__name__)
            text = str(step)
    return ", ".join(names), text
