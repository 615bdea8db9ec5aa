"""An approximate step in which nothing is packed, to compare the packed one with.

`unpack(text)` takes a step after memopt-approximate-activation-grad and writes each
gradient by its definition, as a comparison with the activation's own input,

    dx = g slopes[(x > c1) + (x > c2) + ...],

in place of memopt.encode and memopt.step_grad. What it computes uses no code, so that
encoding, packing, and the lowering of both are checked by a run of each.
"""
import re

NUMBER = r"[-+.\deE]+"
ENCODE = re.compile(rf"^ *(%\w+) = memopt\.encode (%\w+) thresholds \[({NUMBER}(?:, {NUMBER})*)\]", re.M)
STEP_GRAD = re.compile(rf"^( *)(%\w+) = memopt\.step_grad (%\w+), (%\w+) slopes "
                       rf"\[({NUMBER}(?:, {NUMBER})*)\] : (tensor<([\dx]+)x(f64|f32|f16|bf16)>), .* -> .*$", re.M)


def _generic(match, x, thresholds):
    indent, result, g, _, slopes, type_, dims, element = match.groups()
    slopes, name = slopes.split(", "), result[1:]
    # Comparisons and the product are made in f32 at least.
    compute = "f64" if element == "f64" else "f32"
    body = [f"%a{name} = arith.extf %g{name} : {element} to f32",
            f"%b{name} = arith.extf %x{name} : {element} to f32"]
    if element == compute:
        body = []
    a, b = (f"%g{name}", f"%x{name}") if not body else (f"%a{name}", f"%b{name}")
    body += [f"%s{name}_0 = arith.constant {slopes[0]} : {compute}"]
    for k, (threshold, slope) in enumerate(zip(thresholds, slopes[1:])):
        body += [f"%t{name}_{k} = arith.constant {threshold} : {compute}",
                 f"%above{name}_{k} = arith.cmpf ogt, {b}, %t{name}_{k} : {compute}",
                 f"%slope{name}_{k} = arith.constant {slope} : {compute}",
                 f"%s{name}_{k + 1} = arith.select %above{name}_{k}, %slope{name}_{k}, %s{name}_{k} : {compute}"]
    body += [f"%d{name} = arith.mulf {a}, %s{name}_{len(thresholds)} : {compute}"]
    value = f"%d{name}"
    if element != compute:
        body += [f"%n{name} = arith.truncf %d{name} : f32 to {element}"]
        value = f"%n{name}"
    rank = dims.count("x") + 1
    names = ", ".join(f"d{i}" for i in range(rank))
    identity = f"affine_map<({names}) -> ({names})>"
    loops = ", ".join(['"parallel"'] * rank)
    return "\n".join(indent + line for line in [
        f"{result} = linalg.generic {{indexing_maps = [{identity}, {identity}, {identity}], "
        f"iterator_types = [{loops}]}} ins({g}, {x} : {type_}, {type_}) outs({g} : {type_}) {{",
        f"^bb0(%g{name}: {element}, %x{name}: {element}, %out{name}: {element}):",
        *("  " + line for line in body),
        f"  linalg.yield {value} : {element}", f"}} -> {type_}"])


def unpack(text):
    """(text without codes, number of gradients that were written out)."""
    codes = {code: (x, thresholds.split(", ")) for code, x, thresholds in ENCODE.findall(text)}
    return STEP_GRAD.subn(lambda match: _generic(match, *codes[match[4]]), text)
