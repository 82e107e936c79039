"""Tuning the whole recogniser to handwriting, convolutions too. For developers: needs PyTorch and onnx, and a
GPU to be done in minutes. Door: `python -m training.tuning.deep`.

- `rows`: rows drawn by many processes, and the files that a fit picks up while more come.
- `views`: the same row as other pens, lights and lenses would show it.
- `convolutions`, `recogniser`: the network in PyTorch.
- `fit`: the tuning itself. `judge`: errors by source and style.
"""
