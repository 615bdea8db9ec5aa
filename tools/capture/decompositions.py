"""What replaces the ATen ops that torch-mlir cannot lower to upstream dialects.

Most are PyTorch's own decompositions. The others are written here: scatters and
gathers become a comparison with an iota and a sum (a "one-hot" product), so that
the step stays on linalg. At real sizes that inflates the gradient of an embedding:
train adapters there, or expect one tensor of tokens x vocabulary for each.
"""
import math

import torch
from torch._decomp import get_decompositions

aten = torch.ops.aten


def _iota(size, like):
    return torch.arange(size, device=like.device, dtype=like.dtype)


def _one_hot(index, size):
    """i1[..., size], true where the last dimension's position is the index."""
    return _iota(size, index) == index.unsqueeze(-1)


def _zero(like):
    return torch.zeros((), dtype=like.dtype, device=like.device)


def embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_by_freq):
    """dW[v, :] = sum over tokens i with id v of grad[i, :]."""
    if scale_by_freq:
        return NotImplemented
    rows = grad.reshape(-1, grad.shape[-1])
    ids = indices.expand(grad.shape[:-1]).reshape(-1)
    hot = _one_hot(ids, num_weights)
    if padding_idx >= 0:
        hot = hot & (ids != padding_idx).unsqueeze(-1)
    return hot.to(grad.dtype).t() @ rows


def nll_loss_forward(logp, target, weight, reduction, ignore_index):
    """-sum logp[i, target_i], divided by the count of targets for the mean."""
    if weight is not None or logp.dim() != 2 or reduction not in (1, 2):
        return NotImplemented
    count = (target != ignore_index).to(logp.dtype).sum()
    picked = torch.where(_one_hot(target, logp.shape[-1]), logp, _zero(logp))
    total = -picked.sum()
    return (total / count if reduction == 1 else total), count


def nll_loss_backward(grad, logp, target, weight, reduction, ignore_index, count):
    if weight is not None or logp.dim() != 2 or reduction not in (1, 2):
        return NotImplemented
    scale = -grad / count if reduction == 1 else -grad
    return torch.where(_one_hot(target, logp.shape[-1]), scale, _zero(logp))


def index_put(values, indices, update, accumulate=False):
    """x[i, ...] += u for one index tensor, as a one-hot product."""
    if not accumulate or len(indices) != 1 or indices[0] is None:
        return NotImplemented
    ids = indices[0].reshape(-1)
    hot = _one_hot(ids, values.shape[0]).to(values.dtype)
    rows = update.reshape(ids.shape[0], -1)
    return values + (hot.t() @ rows).reshape(values.shape)


def gather(table, dim, index, sparse_grad=False):
    """A look-up in an integer table (position or type ids) along the last dimension."""
    if table.is_floating_point() or dim not in (-1, table.dim() - 1):
        return NotImplemented
    hot = _one_hot(index, table.shape[dim])
    return torch.where(hot, table.unsqueeze(-2), _zero(table)).sum(-1)


def cumsum(x, dim, dtype=None):
    """A product with a triangle of ones: torch-mlir's scan is not an upstream op."""
    dtype = dtype or (x.dtype if x.is_floating_point() else torch.int64)
    last = x.to(dtype).movedim(dim, -1)
    position = _iota(x.shape[dim], torch.empty((), dtype=torch.int64, device=x.device))
    below = position.unsqueeze(-1) >= position
    kept = torch.where(below, last.unsqueeze(-2), torch.zeros((), dtype=dtype, device=x.device))
    return kept.sum(-1).movedim(-1, dim)


def unbind(x, dim=0):
    return tuple(x.select(dim, i) for i in range(x.shape[dim]))


# torch-mlir 20261001 lowers gelu(approximate="tanh") with 0.797724 where
# sqrt(2/pi) = 0.797884... belongs, so the tanh form is spelled out here.
_BETA, _KAPPA = math.sqrt(2 / math.pi), 0.044715


def gelu(x, approximate="none"):
    if approximate != "tanh":
        return NotImplemented
    return 0.5 * x * (1 + torch.tanh(_BETA * (x + _KAPPA * x * x * x)))


def gelu_backward(grad, x, approximate="none"):
    if approximate != "tanh":
        return NotImplemented
    t = torch.tanh(_BETA * (x + _KAPPA * x * x * x))
    inner = _BETA * (1 + 3 * _KAPPA * x * x)
    return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner)


def table():
    """The decomposition table for tracing."""
    found = get_decompositions([
        aten.native_layer_norm_backward, aten.mse_loss_backward, aten.select_backward,
        aten.slice_backward, aten.rms_norm, aten._fused_rms_norm, aten._fused_rms_norm_backward,
        aten.native_dropout_backward, aten.threshold_backward, aten.native_group_norm_backward,
        aten.huber_loss, aten.huber_loss_backward, aten.unsafe_split])
    own = {
        aten.embedding_dense_backward.default: embedding_dense_backward,
        aten.nll_loss_forward.default: nll_loss_forward,
        aten.nll_loss_backward.default: nll_loss_backward,
        aten.index_put.default: index_put,
        aten.gather.default: gather,
        aten.cumsum.default: cumsum,
        aten.unbind.int: unbind,
        aten.gelu.default: gelu,
        aten.gelu_backward.default: gelu_backward,
    }
    return {**found, **own}
