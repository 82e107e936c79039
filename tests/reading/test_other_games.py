"""The sheets of games with units and orders of their own are read by the same reader, and nothing passes that
was not written.

One photographed sheet of each game's demo; what is on it is stated by its manifest.
"""

from __future__ import annotations

import pytest

import maps
from demo.story import STORIES, story_of
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from service.intake.sheets.read_photo import photo_json, read_photo
from service.intake.sheets.recognizer import EngineRecognizer

SHEETS = [("bretwalda", "autumn-621-gwynedd-v1.jpg"), ("britain1066", "march-1066-norse-v1.jpg"),
          ("war1648", "june-1618-adjust-france-v1.jpg"), ("brittania", "harvest-602-red.jpg")]


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "file"), SHEETS)
def test_a_photographed_sheet_of_the_game_is_read(slug: str, file: str) -> None:
    # Every order that counts is among a line's candidates, and whatever passes was written so.
    variant = maps.load(slug)
    reader = PageReader(vocabulary_of(variant))
    data = (STORIES / slug / file).read_bytes()
    reading = photo_json(
        file, read_photo(data, file, EngineRecognizer(), reader, variant, by_heading=True))
    lines = [line for page in reading["pages"] for line in page["lines"]]
    live = {order for _, order, struck in story_of(slug).sheets[file] if not struck}
    passed = [
        line["order"] for line in lines if line["status"] == "auto" and line["order"] and not line["struck"]
    ]
    offered = {candidate["order"] for line in lines for candidate in line["candidates"]}
    assert set(passed) <= live
    assert live <= offered
    assert passed
