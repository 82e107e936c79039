"""The recogniser's neck and output in PyTorch, number for number as in the published file.

PyTorch is a developer's tool: it is imported only where a network is built, and neither the product nor its
tests need it. Weights are a plain dict of tensors by their names in the published network.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from training.tuning.layers import FIXED, NECK

Tensor: TypeAlias = Any
Weights: TypeAlias = Mapping[str, Tensor]

# Numbers a frame in the neck, and how many heads of attention share them.
WIDTH, HEADS = 120, 8

# Of attention: one over the root of the numbers a head has, as the file has it.
_SCALE = 0.2581989


class ToolMissing(Exception):
    """PyTorch or onnx is not installed; the sentence shows what to do."""


def tool(name: str) -> Any:
    """A module that only tuning needs: "torch" or "onnx". Raises ToolMissing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ToolMissing(f"tuning needs {name}, which the product does not: pip install {name}") from error


class Tail:
    """From what the convolutions give to the output's numbers before softmax."""

    def __init__(self, weights: Weights, dropout: float = 0.1) -> None:
        """`weights`: tensors for NECK, FIXED and the output layer."""
        self._torch = tool("torch")
        self._f = self._torch.nn.functional
        self.weights = weights
        self._dropout = dropout
        self.training = False

    def output(self, pooled: Tensor, present: Tensor) -> Tensor:
        """N x 384 x 1 x T to N x T x columns. `there` (N x T) is true where a frame belongs to its crop."""
        f, w = self._f, self.weights
        aside = f.silu(self._norm(f.conv2d(pooled, w["conv2d_67.w_0"]), 57))
        y = f.silu(self._norm(f.conv2d(pooled, w["conv2d_65.w_0"]), 55)) * present[:, None, None, :]
        y = y + f.silu(self._norm(f.conv2d(y, w["conv2d_66.w_0"], padding=(0, 3), groups=WIDTH), 56))
        x = y.flatten(2).transpose(1, 2)
        for norm, linear in ((0, 0), (2, 4)):
            x = x + self._drop(self._attention(self._level(x, norm), linear, present))
            x = x + self._drop(self._mlp(self._level(x, norm + 1), linear + 2))
        x = self._level(x, 4) + aside.squeeze(2).transpose(1, 2)
        return self._linear(self._drop(x), 8)

    def _norm(self, x: Tensor, number: int) -> Tensor:
        gain, shift, mean, variance = (self.weights[f"batch_norm2d_{number}.{part}"] for part in
                                       ("w_0", "b_0", "w_1", "w_2"))  # fmt: skip
        return self._f.batch_norm(x, mean, variance, gain, shift, training=False, eps=1e-5)

    def _level(self, x: Tensor, number: int) -> Tensor:
        gain, shift = (self.weights[f"helper.reshape.{2 * number + part}"] for part in (0, 1))
        return self._f.layer_norm(x, (WIDTH,), gain, shift, 1e-5)

    def _linear(self, x: Tensor, number: int) -> Tensor:
        return x @ self.weights[f"linear_{number}.w_0"] + self.weights[f"linear_{number}.b_0"]

    def _attention(self, x: Tensor, number: int, present: Tensor) -> Tensor:
        n, t, _ = x.shape
        query, key, value = (
            self._linear(x, number).reshape(n, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        )
        scores = (query * _SCALE) @ key.transpose(-1, -2)
        scores = scores.masked_fill(~present[:, None, None, :], -1e9)
        mixed = self._drop(scores.softmax(-1)) @ value
        return self._linear(mixed.transpose(1, 2).reshape(n, t, WIDTH), number + 1)

    def _mlp(self, x: Tensor, number: int) -> Tensor:
        return self._linear(self._drop(self._f.silu(self._linear(x, number))), number + 1)

    def _drop(self, x: Tensor) -> Tensor:
        return self._f.dropout(x, self._dropout, self.training)


def weights_of(arrays: Mapping[str, Any], head: Sequence[str]) -> dict[str, Tensor]:
    """Tensors of what a Tail needs; those that are tuned ask for their gradient."""
    torch = tool("torch")
    tuned = {
        name: torch.tensor(arrays[name], dtype=torch.float32, requires_grad=True) for name in (*NECK, *head)
    }
    return tuned | {name: torch.tensor(arrays[name], dtype=torch.float32) for name in FIXED}
