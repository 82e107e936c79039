"""The whole recogniser in PyTorch, and the crossing head next to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ocr.engines import crossing
from ocr.engines.finetuned import HEAD
from training.tuning.deep.convolutions import Convolutions
from training.tuning.features import Published
from training.tuning.layers import FIXED, NECK, Arrays, cut
from training.tuning.net import Tail, Tensor, tool


class Recogniser:
    """Convolutions, neck and output with one dict of weights."""

    def __init__(self, network: Published, start: Arrays, device: str) -> None:
        torch = tool("torch")
        self.convolutions = Convolutions(network.data)
        self.letters = network.letters
        arrays = cut(network.arrays, network.columns)
        self.published = {name: torch.tensor(arrays[name], dtype=torch.float32, device=device)
                          for name in (*self.convolutions.weights, *NECK, *FIXED, *HEAD)}
        self.weights = {
            name: torch.tensor(np.asarray(start.get(name, arrays[name]), np.float32), device=device)
            for name in self.published
        }
        self.tail = Tail(self.weights)

    def features(self, pictures: Tensor, weights: Mapping[str, Tensor] | None = None) -> Tensor:
        """What the neck is given."""
        return self.convolutions(pictures, self.weights if weights is None else weights)

    def output(self, features: Tensor) -> Tensor:
        """N x T x columns, before softmax; every frame belongs to its row."""
        torch = tool("torch")
        present = torch.ones(features.shape[0], features.shape[-1], dtype=torch.bool, device=features.device)
        return self.tail.output(features.float(), present)


def crossing_head(device: str) -> Callable[[Tensor], Tensor]:
    """The crossing head in PyTorch: features (N x 384 x 1 x T) to N x classes x T."""
    torch = tool("torch")
    shipped = crossing.parse_head(crossing.FILE.read_bytes())
    layers = [(torch.tensor(weights.transpose(2, 1, 0).copy(), device=device),
               torch.tensor(constant, device=device)) for weights, constant in shipped.layers]
    centre = torch.tensor(shipped.mean, device=device)[None, :, None]

    def said(features: Tensor) -> Tensor:
        values = features.squeeze(2) - centre
        for number, (weights, constant) in enumerate(layers):
            values = values.relu() if number else values
            values = torch.nn.functional.conv1d(values, weights, constant, padding=weights.shape[-1] // 2)
        return values

    return said
