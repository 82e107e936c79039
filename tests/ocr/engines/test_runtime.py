"""Nothing leaves the machine: the engine's measurement of use is off before it can begin."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_reading_leaves_no_trace_below_the_home_folder(tmp_path: Path) -> None:
    """INS-06, "nothing leaves this machine": onnxruntime 1.31 alone writes a device's number there at once,
    and looks up mobile.events.data.microsoft.com."""
    environment = {name: value for name, value in os.environ.items()
                   if name != "ORT_DISABLE_TELEMETRY" and not name.startswith("XDG_")}
    code = "import os; from ocr.engines import ppocr; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    finished = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True,
                              check=True, env={**environment, "HOME": str(tmp_path)})
    assert finished.stdout == "1\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file() and "Microsoft" in str(path)] == []


def test_only_one_module_imports_the_engine() -> None:
    """Anyone who imports it elsewhere, and first, would start the measurement."""
    imports = re.compile(r"^\s*(?:import onnxruntime|from onnxruntime)\b", re.MULTILINE)
    rooms = ["bench", "demo", "galloper", "ocr", "reading", "service", "tests", "tools", "training"]
    importers = [path.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("*.py")
                 if imports.search(path.read_text("utf-8"))]
    assert importers == [Path("ocr/engines/runtime.py")]
