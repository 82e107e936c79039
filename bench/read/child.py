"""Reads photographs for `galloper bench read`, in a fresh process.

    python -m bench.read.child READER VARIANT < FILES

READER is "galloper", "galloper-without-tesseract" or a name of `peers.PEERS`. FILES are paths, one a line.
The first photograph is read once before anything is measured, so that the models are loaded. Then it prints
one JSON object a photograph: `file`, `pages` as in `galloper read --json`, `cpu` and `wall` in seconds; and
at the end `{"peak_mib": ...}`, the most memory that this process held.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import maps
from bench.process import peak_mib
from bench.read.peers import PEERS, WITHOUT_TESSERACT
from ocr.engines import Engine
from ocr.engines.ppocr import default_engines
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from service.intake.sheets.read_photo import photo_json, read_photo
from service.intake.sheets.recognizer import EngineRecognizer

Reader = Callable[[Path], dict[str, Any]]
_KIB_IN_MIB = 1024


def ours(slug: str, engines: Sequence[Engine] | None = None) -> Reader:
    """Our reader as in `galloper read`: the sheet's own heading shows which phase it is. `engines`: others
    than the service's."""
    variant = maps.load(slug)
    recognizer, reader = EngineRecognizer(engines), PageReader(vocabulary_of(variant))

    def read(photo: Path) -> dict[str, Any]:
        data = photo.read_bytes()
        reading = read_photo(data, photo.name, recognizer, reader, variant, by_heading=True)
        return photo_json(photo.name, reading)

    return read


def serve(reader: Reader, photos: Sequence[Path], out: TextIO) -> None:
    """Read photographs one after the other and print the answers."""
    # The first reading loads the models and is not measured.
    reader(photos[0])
    for photo in photos:
        cpu, wall = _cpu(), time.perf_counter()
        answer = reader(photo)
        answer |= {"cpu": round(_cpu() - cpu, 3), "wall": round(time.perf_counter() - wall, 3)}
        print(json.dumps(answer, ensure_ascii=False), file=out, flush=True)
    print(json.dumps({"peak_mib": round(_peak_mib(), 1)}), file=out, flush=True)


def _cpu() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    this_process, children = (
        resource.getrusage(resource.RUSAGE_SELF),
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return this_process.ru_utime + this_process.ru_stime + children.ru_utime + children.ru_stime


def _peak_mib() -> float:
    """The most resident memory of this process or of one child."""
    return max(peak_mib(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KIB_IN_MIB)


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    name, slug = arguments
    # One core for each reader, or those that start threads would look faster by the clock. onnxruntime's
    # threads escape, since each chooses its core. Ours starts none. RapidOCR's do, and wait for work in a
    # loop, which is processor time too; with one thread it is read besides (`peers.ONE_THREAD`).
    # Only Linux has the call.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    photos = [Path(line) for line in sys.stdin.read().splitlines() if line]
    serve(_reader(name, slug), photos, sys.stdout)
    return 0


def _reader(name: str, slug: str) -> Reader:
    if name == "galloper":
        return ours(slug)
    if name == WITHOUT_TESSERACT:
        return ours(slug, default_engines())
    return PEERS[name]()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
