"""From a PyTorch module to a training step on linalg.

    module, inputs = ...               # module(*inputs) is the loss, a scalar, or a
                                       # tuple of the loss and further scalars
    step = torch_step.capture(module, inputs)
    step.mlir, step.arguments, step.results

AOTAutograd traces forward and backward into one graph, torch-mlir imports it and
lowers it to linalg on tensors. Parameters that share storage are one argument.
"""
import os
import subprocess
import sys
import typing

import torch
from torch._functorch.aot_autograd import aot_export_module
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

import decompositions

aten = torch.ops.aten
TO_BACKEND = "builtin.module(torchdynamo-export-to-torch-backend-pipeline{extra-library= backend-legal-ops=})"
TO_LINALG = "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true})"


class Captured(typing.NamedTuple):
    mlir: str
    arguments: list  # of {kind, name, shape, dtype}; kind: param, buffer, input
    results: list    # the same; kind: loss, metric, grad, buffer
    graph: object    # the traced graph, for references


class Functional(torch.nn.Module):
    """The module with each parameter and buffer registered once, under a flat name,
    so that tied weights are one argument with one gradient."""

    def __init__(self, module):
        super().__init__()
        self.__dict__["wrapped"] = module  # not a submodule: its names stay out
        self.full_name = {}
        for name, parameter in module.named_parameters():
            self.full_name[self._flat(name)] = name
            self.register_parameter(self._flat(name), parameter)
        for name, buffer in module.named_buffers():
            self.full_name[self._flat(name)] = name
            self.register_buffer(self._flat(name), buffer)

    @staticmethod
    def _flat(name):
        return name.replace(".", "__")

    def forward(self, *inputs):
        state = {name: getattr(self, flat) for flat, name in self.full_name.items()}
        returned = torch.func.functional_call(self.wrapped, state, inputs, tie_weights=True)
        loss, *metrics = returned if isinstance(returned, tuple) else (returned,)
        return (loss, *(metric.detach() for metric in metrics))


def as_fake(module, inputs):
    """Replaces meta tensors by fake ones on the CPU: shapes and types, no memory."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)

    def fake(tensor):
        with mode:
            return torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")

    done = {}
    for owner in module.modules():
        for name, parameter in list(owner._parameters.items()):
            if parameter is not None:
                if parameter not in done:
                    done[parameter] = torch.nn.Parameter(fake(parameter), parameter.requires_grad)
                owner._parameters[name] = done[parameter]
        for name, buffer in list(owner._buffers.items()):
            if buffer is not None:
                owner._buffers[name] = fake(buffer)
    return module, tuple(fake(x) for x in inputs)


def trace(module, inputs):
    """The joint graph of `Functional(module)` and its signature."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    # The fused attention op of the CPU has no decomposition of its backward.
    with sdpa_kernel(SDPBackend.MATH):
        return aot_export_module(module, inputs, trace_joint=True, output_loss_index=0,
                                 decompositions=decompositions.table())


def _replace(node, by, arguments, dtype):
    with node.graph.inserting_before(node):
        new = node.graph.call_function(by, arguments, {"dtype": dtype})
    new.meta = dict(node.meta)
    node.replace_all_uses_with(new)
    node.graph.erase_node(node)


def clean(graph_module):
    """Removes what has no meaning in the graph or does not legalize."""
    graph = graph_module.graph
    for node in list(graph.nodes):
        name = str(node.target)
        if node.op == "get_attr":
            _scalar_constant(graph_module, node)
        elif node.op != "call_function":
            continue
        elif "aten.ones_like" in name and node.meta["val"].dim() == 0:
            _replace(node, aten.full.default, ([], 1.0), node.meta["val"].dtype)
        elif any(word in name for word in ("aten.alias", "aten.detach", "lift_fresh_copy")):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        elif "_assert_tensor_metadata" in name or "_assert_async" in name:
            graph.erase_node(node)
    graph.eliminate_dead_code()
    graph.lint()
    graph_module.recompile()


def _scalar_constant(graph_module, node):
    """A tensor of one element held by the graph becomes aten.full."""
    value = getattr(graph_module, node.target)
    if not isinstance(value, torch.Tensor) or isinstance(value, FakeTensor) or value.numel() != 1:
        return
    if "val" not in node.meta:
        for user in node.users:
            node.meta.update(user.meta)
    _replace(node, aten.full.default, (list(value.shape), value.item()), value.dtype)


def _entry(kind, name, value):
    return {"kind": kind, "name": name, "shape": list(value.shape),
            "dtype": str(value.dtype).removeprefix("torch.")}


def describe(graph_module, signature, full_name):
    """Lists of the step's arguments and results in order."""
    arguments, results = [], []
    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            flat = signature.inputs_to_parameters.get(node.name)
            kind = "param" if flat else "buffer"
            flat = flat or signature.inputs_to_buffers.get(node.name)
            arguments.append(_entry(kind, full_name[flat], value) if flat
                             else _entry("input", node.name, value))
    backward = signature.backward_signature
    output = next(n for n in graph_module.graph.nodes if n.op == "output")
    # Updated buffers, then what the module returns, then gradients. `clean` may have
    # renamed what is returned, so that metrics go by position.
    first = len(signature.buffers_to_mutate)
    returned = range(first, first + len(signature.user_outputs))
    for position, node in enumerate(output.args[0]):
        value, name = node.meta["val"], node.name
        if name == backward.loss_output:
            results.append(_entry("loss", "loss", value))
        elif name in backward.gradients_to_parameters:
            results.append(_entry("grad", full_name[backward.gradients_to_parameters[name]], value))
        elif position in returned:
            results.append(_entry("metric", f"metric{len(results)}", value))
        elif name in signature.buffers_to_mutate:
            results.append(_entry("buffer", full_name[signature.buffers_to_mutate[name]], value))
        else:
            raise SystemExit(f"capture: the graph returns '{name}', which is neither loss nor gradient")
    # The loss first, as mem-opt expects it.
    if results and results[0]["kind"] != "loss":
        raise SystemExit("capture: the step does not return its loss first (it updates buffers); "
                         "put the module in a mode that does not")
    return arguments, results


def tool(command, text):
    """Runs one of torch-mlir's or MLIR's tools on a text."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"capture: {' '.join(command)} failed:\n{done.stderr[:3000]}")
    return done.stdout


def torch_mlir_opt():
    return os.path.join(os.path.dirname(sys.executable), "torch-mlir-opt")


def lower(graph_module, locations=None):
    """torch-mlir's importer and its two pipelines. `locations` is a ContextCache that
    says where nodes are; the text has locations then."""
    from torch_mlir import ir
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_importer import FxImporter
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    if locations:
        importer._cc = locations(context, py_attr_tracker=importer._py_attr_tracker)
    importer.import_stateless_graph(graph_module.graph, func_name="main")
    text = importer.module.operation.get_asm(enable_debug_info=locations is not None)
    debug = ["--mlir-print-debuginfo"] if locations else []
    for pipeline in (TO_BACKEND, TO_LINALG):
        text = tool([torch_mlir_opt(), f"--pass-pipeline={pipeline}", *debug, "-"], text)
    return text


def loss_of(returned):
    return returned[0] if isinstance(returned, tuple) else returned


def freeze_unused(module, inputs):
    """Parameters that the loss does not depend on get no gradient: AOTAutograd
    refuses a trainable one without."""
    trained = [p for p in module.parameters() if p.requires_grad]
    gradients = torch.autograd.grad(loss_of(module(*inputs)).sum(), trained, allow_unused=True)
    for parameter, gradient in zip(trained, gradients):
        parameter.requires_grad_(gradient is not None)


def capture(module, inputs):
    freeze_unused(module, inputs)
    functional = Functional(module)
    graph_module, signature = trace(functional, inputs)
    clean(graph_module)
    arguments, results = describe(graph_module, signature, functional.full_name)
    return Captured(lower(graph_module), arguments, results, graph_module)


# -- references --------------------------------------------------------------

def reference(module, inputs, step):
    """The arrays of the .npz: arguments, the framework's own float32 loss and
    gradients (eager), and the same graph in float64."""
    import numpy
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    values = iter(inputs)
    arrays = {}
    for i, argument in enumerate(step.arguments):
        value = next(values) if argument["kind"] == "input" else state[argument["name"]]
        arrays[f"arg{i}"] = value.detach().numpy().copy()

    returned = module(*inputs)
    loss_of(returned).backward()
    for i, result in enumerate(step.results):
        # Loss and metrics come first, in the module's order.
        forward = returned[i] if isinstance(returned, tuple) and i < len(returned) else loss_of(returned)
        value = state[result["name"]].grad if result["kind"] == "grad" else forward.detach()
        arrays[f"res{i}"] = value.numpy().copy()

    wide = {torch.float32: torch.float64}
    for node in step.graph.graph.nodes:
        node.args = tuple(wide.get(a, a) if isinstance(a, torch.dtype) else a for a in node.args)
        node.kwargs = {k: wide.get(a, a) if isinstance(a, torch.dtype) else a for k, a in node.kwargs.items()}
    step.graph.recompile()
    tensors = [torch.from_numpy(arrays[f"arg{i}"]) for i in range(len(step.arguments))]
    with torch.no_grad():
        exact = step.graph(*[t.double() if t.dtype == torch.float32 else t for t in tensors])
    for i, value in enumerate(exact):
        assert value.dtype == torch.float64, "a float32 step is left in the float64 reference"
        arrays[f"res64_{i}"] = numpy.asarray(value)
    return arrays
