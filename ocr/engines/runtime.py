"""onnxruntime without its measurement of use.

From 1.31 on at least, its wheels for Linux write a device's number below the home folder and look up
mobile.events.data.microsoft.com as soon as the package is imported; `strace` shows both. A site's machine has
players' letters on it and sends nothing out. Anyone who needs onnxruntime imports it from here.
"""

from __future__ import annotations

import os

# Before the import: what it finds then holds for the process and for its children.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

__all__ = ["onnxruntime"]
