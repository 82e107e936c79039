"""A row as other pens, lights and lenses would show it: pictures changed by chance, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from training.tuning.deep.rows import DrawnRow
from training.tuning.net import Tensor, tool


def stacked(rows: Sequence[DrawnRow]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Pictures side by side in one array, the paper at the right end going on, blue first: N x 3 x 48 x the
    widest; and their own widths."""
    widest = max(row.width for _, row in rows)
    pictures = np.empty((len(rows), 48, widest, 3), np.uint8)
    for index, (crop, row) in enumerate(rows):
        pictures[index, :, : row.width] = crop[..., ::-1]
        pictures[index, :, row.width :] = crop[:, -1:, ::-1]
    return pictures.transpose(0, 3, 1, 2), np.array([row.width for _, row in rows], np.float32)


def varied(pictures: Tensor, widths: Tensor, width: int, rng: np.random.Generator) -> Tensor:
    """The pictures stretched to one width and changed by chance: lean, height, place, pen, blur, light and
    noise; -1..1."""
    torch = tool("torch")
    f, n, device = torch.nn.functional, len(pictures), pictures.device

    def chance(*shape: int) -> Any:
        return torch.rand(n, *shape, device=device)

    def normal(*shape: int) -> Any:
        return torch.randn(n, *shape, device=device)

    x = pictures.float() / 255.0
    whole = x.shape[-1]
    # From the picture wanted to the picture given: stretched, leaning, taller or lower, up or down.
    theta = torch.zeros(n, 2, 3, device=device)
    theta[:, 0, 0] = widths / whole
    theta[:, 0, 1] = normal() * 0.10 * 48 / whole
    theta[:, 0, 2] = widths / whole - 1
    theta[:, 1, 1] = 1 + 0.07 * normal().clamp(-2, 2)
    theta[:, 1, 2] = 0.05 * normal()
    grid = f.affine_grid(theta, [n, 3, 48, width], align_corners=False)
    # A slow sway over a few letters.
    sway = f.interpolate(normal(2, 3, max(2, width // 48)), size=(48, width), mode="bicubic")
    grid = grid + (chance(1, 1, 1) < 0.5) * sway.permute(0, 2, 3, 1) * torch.tensor(
        [1.2 / whole, 1.2 / 48], device=device
    )
    x = f.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)
    pen = float(rng.random())
    share = 0.7 * chance(1, 1, 1)
    if pen < 0.15:
        x = torch.lerp(x, -f.max_pool2d(-f.pad(x, (0, 1, 0, 1), mode="replicate"), 2, 1), share)
    elif pen < 0.30:
        x = torch.lerp(x, f.max_pool2d(f.pad(x, (0, 1, 0, 1), mode="replicate"), 2, 1), share)
    if rng.random() < 0.35:
        sigma = 0.4 + 0.9 * float(rng.random())
        at = torch.arange(-3, 4, device=device).float()
        kernel = torch.exp(-(at**2) / (2 * sigma**2))
        kernel = (kernel / kernel.sum()).repeat(3, 1)
        x = f.conv2d(f.pad(x, (3, 3, 0, 0), mode="replicate"), kernel[:, None, None, :], groups=3)
        x = f.conv2d(f.pad(x, (0, 0, 3, 3), mode="replicate"), kernel[:, None, :, None], groups=3)
    # Paper is near 1: contrast is taken about it, then the light of the whole.
    x = 1 - (1 - x) * (0.65 + 0.6 * chance(1, 1, 1))
    x = x * (0.88 + 0.16 * chance(1, 1, 1)) + 0.03 * chance(1, 1, 1) * torch.randn_like(x[:, :1])
    return x.clamp(0, 1) * 2 - 1
