"""Lowers a traced graph and keeps the names of its nodes.

    text = named_step.lower(graph_module)

The graph is one as torch.compile's partitioner sees it (inductor's decompositions);
every op of the text has the name of the node that it comes from as its location, and
of several ops with one name the last makes the node's value. So what PyTorch says of
its nodes can be said of the step's values: `memopt-rematerialize{keep=@FILE}`.
"""
import operator

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

import decompositions
import torch_step

aten, prims = torch.ops.aten, torch.ops.prims
# Nodes that show or repeat another node's storage: a name for one is a name for its
# first operand.
VIEWS = {"alias", "clone", "detach", "expand", "lift_fresh_copy", "permute", "select", "slice", "split",
         "squeeze", "t", "transpose", "unsqueeze", "view"}


# -- what torch-mlir has no lowering for --------------------------------------

def _is_at(index, size):
    """i1[..., size]: true where the last dimension's position is the index."""
    return torch.arange(size, device=index.device, dtype=index.dtype) == index.unsqueeze(-1)


def _zero(like):
    return torch.zeros((), dtype=like.dtype, device=like.device)


def _gather(table, dim, index, sparse_grad=False):
    """A look-up along the last dimension: a comparison and a sum."""
    assert dim in (-1, table.dim() - 1)
    picked = torch.where(_is_at(index, table.shape[dim]), table.unsqueeze(-2), _zero(table))
    return picked.sum(-1, dtype=table.dtype)


def _scatter(x, dim, index, value):
    """One value a row, along the last dimension."""
    assert dim in (-1, x.dim() - 1) and index.shape[dim] == 1
    position = torch.arange(x.shape[dim], device=index.device, dtype=index.dtype)
    return torch.where(position == index, torch.full((), value, dtype=x.dtype, device=x.device), x)


def _index_put_accumulate(x, mask, indices, values):
    """The gradient of an embedding: x[i] += row i where the mask holds, as a product."""
    rows = torch.where(mask.reshape(-1, 1), values.reshape(mask.numel(), -1), _zero(values))
    hot = _is_at(indices[0].reshape(-1), x.shape[0]).to(x.dtype)
    return x + (hot.permute(1, 0) @ rows).reshape(x.shape)


def _var_mean(x, dim, correction=1, keepdim=False):
    """Both in ops of their own, so that each has its name."""
    count = 1
    for d in dim:
        count *= x.shape[d]
    mean = x.sum(dim, keepdim=True) / count
    centered = x - mean
    variance = (centered * centered).sum(dim, keepdim=True) / (count - (correction or 0))
    return (variance, mean) if keepdim else (variance.squeeze(dim), mean.squeeze(dim))


def _embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """torch-mlir's own lowering asserts the indices, and what asserts may not run again."""
    return aten.index.Tensor(weight, [indices])


def _split(x, size, dim=0):
    return tuple(x.narrow(dim, start, min(size, x.shape[dim] - start))
                 for start in range(0, x.shape[dim], size))


TABLE = {
    aten.gather.default: _gather,
    aten.scatter.value: _scatter,
    aten._unsafe_masked_index_put_accumulate.default: _index_put_accumulate,
    aten.var_mean.correction: _var_mean,
    aten.cumsum.default: decompositions.cumsum,
    aten.embedding.default: _embedding,
    aten.split.Tensor: _split,
    prims.fma.default: lambda a, b, c: a * b + c,
}


# -- a graph with names --------------------------------------------------------

def _trace(node):
    """The graph of a node's decomposition; its placeholders are the node's inputs."""
    inputs = node.all_input_nodes

    def run(*values):
        given = dict(zip(inputs, values))
        arguments = fx.node.map_arg(node.args, given.__getitem__)
        keywords = fx.node.map_arg(node.kwargs, given.__getitem__)
        return TABLE[node.target](*arguments, **keywords)

    return make_fx(run)(*[n.meta["val"] for n in inputs]).graph


def _inline(graph, node, made):
    """Copies the decomposition of `node` into `graph`; returns what stands for it."""
    sub = _trace(node)
    inner = dict(zip(sub.find_nodes(op="placeholder"), (made[n] for n in node.all_input_nodes)))
    for part in sub.nodes:
        if part.op == "output":
            return fx.node.map_arg(part.args[0], inner.__getitem__)
        if part.op != "placeholder":
            inner[part] = graph.node_copy(part, inner.__getitem__)
            inner[part].meta["step_name"] = node.name
    raise AssertionError("a graph without output")


def _named(source):
    """A copy of a graph in ops that lower. Results that are None are left out."""
    graph, made = fx.Graph(), {}
    for node in source.nodes:
        of_many = node.target is operator.getitem and isinstance(made[node.args[0]], tuple)
        if node.op == "output":
            graph.output(tuple(made[n] for n in node.args[0] if isinstance(n, fx.Node)))
            continue
        if of_many:
            made[node] = made[node.args[0]][node.args[1]]
        elif node.op == "call_function" and node.target in TABLE:
            made[node] = _inline(graph, node, made)
        else:
            made[node] = graph.node_copy(node, made.__getitem__)
        if isinstance(made[node], fx.Node):
            made[node].meta["step_name"] = node.name
    return graph


def base_of(node):
    """The node whose storage a node shows."""
    while node.op == "call_function":
        name = getattr(node.target, "__name__", "").split(".")[0]
        of_view = node.target is operator.getitem and base_of(node.args[0]) is not node.args[0]
        if name not in VIEWS and not of_view:
            break
        node = node.args[0]
    return node


def move_forward(graph, names):
    """Moves the named nodes that stand after the loss, the graph's first result, to behind
    what they read: the partitioner puts into the forward whatever it keeps."""
    nodes = list(graph.nodes)
    loss = nodes[-1].args[0][0]
    forward = set(nodes[:nodes.index(loss) + 1])
    place = {node: i for i, node in enumerate(nodes)}

    def move(node):
        if node in forward:
            return
        for read in node.all_input_nodes:
            move(read)
        last = max(node.all_input_nodes, key=place.__getitem__, default=None)
        (last or loss.prev).append(node)
        place[node] = place[last] if last else place[loss]
        forward.add(node)

    for node in nodes:
        if node.name in names:
            move(node)


def lower(graph_module):
    from torch_mlir import ir
    from torch_mlir.extras import fx_importer

    class NodeNames(fx_importer.ContextCache):
        def get_node_location(self, node):
            return ir.Location.name(node.meta.get("step_name", node.name), context=self._c)

    named = fx.GraphModule(graph_module, _named(graph_module.graph))
    torch_step.clean(named)
    return torch_step.lower(named, NodeNames)
