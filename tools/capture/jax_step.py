"""From a JAX function to a training step on linalg.

    step = jax_step.capture(loss, parameters, batch)    # loss(parameters, *batch)

`jax.value_and_grad` is lowered to StableHLO, torch-mlir's converter takes that to
linalg. Two things have no way through the converter and are replaced: the scatter
that is a look-up's gradient (by a one-hot product, in JAX's own transpose rule), and
the chlo ops erf, erfc and square (by the math op, on the converted text).
"""
import contextlib
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.interpreters import ad

from torch_step import Captured, tool, torch_mlir_opt

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"


# -- the gradient of a look-up -----------------------------------------------

def _one_hot(ids, size, dtype):
    hot = ids[..., None] == lax.broadcasted_iota(ids.dtype, (*ids.shape, size), ids.ndim)
    return hot.astype(dtype)


def _lookup_transpose(cotangent, operand, indices, *, dimension_numbers, slice_sizes, **rest):
    """The transpose of x[ids] over rows and of take_along_axis over the last
    dimension; other gathers keep JAX's rule."""
    dims, shape = dimension_numbers, operand.aval.shape
    if not ad.is_undefined_primal(operand) or isinstance(cotangent, ad.Zero):
        return None
    rows = (len(shape) == 2 and dims.collapsed_slice_dims == (0,) and dims.start_index_map == (0,)
            and slice_sizes == (1, shape[1]) and not dims.operand_batching_dims)
    if rows:
        ids = indices[..., 0].reshape(-1)
        hot = _one_hot(ids, shape[0], cotangent.dtype)
        return [hot.T @ cotangent.reshape(-1, shape[1]), None]
    last = (dims.operand_batching_dims == tuple(range(len(shape) - 1))
            and dims.start_index_map == (len(shape) - 1,) and all(s == 1 for s in slice_sizes))
    if last and cotangent.shape[-1] == 1:
        ids = indices.reshape(shape[:-1])
        hot = _one_hot(ids, shape[-1], jnp.bool_)
        return [jnp.where(hot, cotangent.reshape(*shape[:-1], 1), 0), None]
    return None


@contextlib.contextmanager
def lookups_as_products():
    rule = ad.primitive_transposes[lax.gather_p]

    def transpose(cotangent, operand, indices, **parameters):
        ours = _lookup_transpose(cotangent, operand, indices, **parameters)
        return rule(cotangent, operand, indices, **parameters) if ours is None else ours

    ad.primitive_transposes[lax.gather_p] = transpose
    try:
        yield
    finally:
        ad.primitive_transposes[lax.gather_p] = rule


# -- StableHLO to linalg -----------------------------------------------------

_CHLO = {"erf": "math.erf %in", "erfc": "math.erfc %in", "square": "arith.mulf %in, %in",
         "tan": "math.tan %in", "sinh": "math.sinh %in", "cosh": "math.cosh %in"}
_CHLO_OP = re.compile(r"^( *)(%\w+) = chlo\.(\w+) (%\w+) : (tensor<([\dx]*?)x?(f64|f32|f16|bf16)>)"
                      r"(?: -> tensor<[^>]*>)?$", re.M)


def _chlo_to_math(match):
    indent, result, op, operand, type_, dims, element = match.groups()
    if op not in _CHLO:
        raise SystemExit(f"capture: no conversion for chlo.{op}")
    rank = len(dims.split("x")) if dims else 0
    names = ", ".join(f"d{i}" for i in range(rank))
    identity = f"affine_map<({names}) -> ({names})>"
    loops = ", ".join(['"parallel"'] * rank)
    return "\n".join(indent + line for line in [
        f"%empty_{result[1:]} = tensor.empty() : {type_}",
        f"{result} = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = [{loops}]}} "
        f"ins({operand} : {type_}) outs(%empty_{result[1:]} : {type_}) {{",
        f"^bb0(%in: {element}, %out: {element}):",
        f"  %value = {_CHLO[op]} : {element}",
        f"  linalg.yield %value : {element}",
        f"}} -> {type_}"])


def to_linalg(stablehlo):
    text = re.sub(r' \{jax\.result_info = "[^"]*"\}', "", stablehlo)
    text = re.sub(r"module @\S+ attributes \{[^}]*\}", "module", text)
    text = tool([torch_mlir_opt(), "--stablehlo-legalize-to-linalg", "-"], text)
    text = _CHLO_OP.sub(_chlo_to_math, text)
    return tool([MLIR_OPT, "--inline", "--symbol-dce", "--canonicalize", "--cse", "-"], text)


# -- the step ----------------------------------------------------------------

def _step(loss):
    # Arguments that the loss does not read stay arguments.
    return jax.jit(jax.value_and_grad(loss), keep_unused=True)


def _entry(kind, name, value):
    return {"kind": kind, "name": name, "shape": list(np.shape(value)), "dtype": str(value.dtype)}


def capture(loss, parameters, batch):
    with lookups_as_products():
        lowered = _step(loss).lower(parameters, *batch)
    leaves, _ = jax.tree_util.tree_flatten_with_path(parameters)
    named = [(jax.tree_util.keystr(path), leaf) for path, leaf in leaves]
    arguments = [_entry("param", name, leaf) for name, leaf in named]
    arguments += [_entry("input", f"batch{i}", np.asarray(x)) for i, x in enumerate(batch)]
    results = [{"kind": "loss", "name": "loss", "shape": [], "dtype": str(named[0][1].dtype)}]
    results += [_entry("grad", name, leaf) for name, leaf in named]
    return Captured(to_linalg(lowered.as_text()), arguments, results, None)


def _values(loss, parameters, batch):
    value, gradients = _step(loss)(parameters, *batch)
    return [np.asarray(x) for x in [value, *jax.tree.leaves(gradients)]]


def reference(loss, parameters, batch):
    """Arguments, JAX's own results, and the same in float64."""
    arrays = {f"arg{i}": np.asarray(x) for i, x in enumerate([*jax.tree.leaves(parameters), *batch])}
    for i, value in enumerate(_values(loss, parameters, batch)):
        arrays[f"res{i}"] = value
    jax.config.update("jax_enable_x64", True)
    wide = jax.tree.map(lambda x: jnp.asarray(np.asarray(x, np.float64)), parameters)
    exact = _values(loss, wide, batch)
    if all(value.dtype == np.float64 for value in exact):
        arrays.update({f"res64_{i}": value for i, value in enumerate(exact)})
    return arrays
