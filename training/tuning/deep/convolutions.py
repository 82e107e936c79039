"""The recogniser's convolutions in PyTorch, operation for operation as in the published file, so that they
can be tuned.

Like `training.tuning.net` for the neck: a developer's tool, which neither the product nor its tests need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from training.tuning.features import CUT
from training.tuning.net import Tensor, tool

Step: TypeAlias = tuple[str, list[str], str, dict[str, Any]]
"""An operation: its kind, what it is given, what it gives, and its attributes."""

# One pixel at the right and one below.
_BESIDE = (0, 1, 0, 1)


class Convolutions:
    """From a picture (N x 3 x 48 x W, -1..1, blue first) to what the neck is given (N x 384 x 1 x W / 8).

    `weights`: tensors by their names in the network, all of which may be tuned.
    """

    def __init__(self, network: bytes) -> None:
        """`network`: the published file. Raises ToolMissing without PyTorch or onnx."""
        onnx, self._torch = tool("onnx"), tool("torch")
        graph = onnx.load_from_string(network).graph
        arrays = {array.name: onnx.numpy_helper.to_array(array) for array in graph.initializer}
        steps: list[Step] = []
        for node in graph.node:
            facts = {fact.name: onnx.helper.get_attribute_value(fact) for fact in node.attribute}
            steps.append((node.op_type, list(node.input), node.output[0], facts))
            if node.output[0] == CUT:
                break
        self.steps = _fused(steps)
        used = {name for _, inputs, _, _ in self.steps for name in inputs}
        self.weights: dict[str, Tensor] = {
            name: self._torch.tensor(array) for name, array in arrays.items()
            if name in used
        }

    def __call__(self, pictures: Tensor, weights: Mapping[str, Tensor] | None = None) -> Tensor:
        """The convolutions' output. `weights`: instead of this network's own."""
        values: dict[str, Tensor] = dict(self.weights if weights is None else weights)
        values["x"] = pictures
        for kind, inputs, output, facts in self.steps:
            values[output] = self._step(kind, [values.get(name, name) for name in inputs], facts)
        return values[CUT]

    def _step(self, kind: str, given: list[Any], facts: Mapping[str, Any]) -> Tensor:
        f, x = self._torch.nn.functional, given[0]
        steps: dict[str, Callable[[], Tensor]] = {
            "Identity": lambda: x,
            "Conv": lambda: self._convolved(given, facts),
            # Both even kernels of the file are padded at the right and below (SAME_UPPER).
            "MaxPool": lambda: f.max_pool2d(f.pad(x, _BESIDE), 2, 1),
            "AveragePool": lambda: f.avg_pool2d(x, tuple(facts["kernel_shape"]), tuple(facts["strides"])),
            "ReduceMean": lambda: x.mean(dim=tuple(facts["axes"]), keepdim=True),
            "HardSigmoid": lambda: f.hardsigmoid(x),
            "Relu": lambda: f.relu(x),
            "Gelu": lambda: f.gelu(x),
            "Concat": lambda: self._torch.cat(given, dim=facts["axis"]),
            "Add": lambda: x + given[1],
            "Mul": lambda: x * given[1],
        }
        if kind not in steps:
            raise ValueError(f"the network has an operation that is not known here: {kind}")
        return steps[kind]()

    def _convolved(self, given: Sequence[Any], facts: Mapping[str, Any]) -> Tensor:
        f, x = self._torch.nn.functional, given[0]
        x, padding = (f.pad(x, _BESIDE), (0, 0)) if "auto_pad" in facts else (x, tuple(facts["pads"][:2]))
        bias = given[2].reshape(-1) if len(given) > 2 else None
        return f.conv2d(x, given[1], bias, tuple(facts["strides"]), padding, 1, facts["group"])


def _fused(steps: Sequence[Step]) -> list[Step]:
    """The same steps, a constant added to a convolution as its bias and x (1 + erf(x / root 2)) / 2 as one
    step."""
    short: list[Step] = []
    index = 0
    while index < len(steps):
        kind, inputs, output, facts = steps[index]
        after = [step[0] for step in steps[index : index + 5]]
        if after == ["Div", "Erf", "Add", "Mul", "Mul"]:
            short.append(("Gelu", inputs[:1], steps[index + 4][2], {}))
            index += 5
        elif after[:2] == ["Conv", "Add"] and steps[index + 1][1][0] == output:
            short.append(("Conv", [*inputs, steps[index + 1][1][1]], steps[index + 1][2], facts))
            index += 2
        else:
            short.append((kind, inputs, output, facts))
            index += 1
    return short
