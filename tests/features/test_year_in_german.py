"""A year of every game in German: no letter to a player has an English sentence (REL-03)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import update

from service.store.tables import PlayerRow
from tests.support import story_table
from tests.support.site import Site
from tests.support.table import Table, open_table

ENGLISH = re.compile(
    r"\b(were|has|have|are|is|your|you|cannot|nobody|attacked|given|drawn|dislodged|void|against)\b")
AN_ORDER = re.compile(r"✓ [^:;,.]*|✗ [^:]*:|In vier Wörtern: [^.]*")
"""Orders stay in the game's language, and the words of a root are English."""
TO_PLAYERS = {
    "receipt", "draft_results", "final_results", "year_end_results", "retreat_request", "adjustment",
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("slug", ["w3k", "bretwalda", "britain1066", "war1648", "brittania"])
def test_no_letter_of_a_year_has_an_english_sentence(
    site: Site, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REL-03: outcomes, events, holdings, lots and the gazette too."""
    def opened(*args: Any, **options: Any) -> Table:
        table = open_table(*args, **options)
        with table.site.store.begin() as session:
            session.execute(update(PlayerRow).values(language="de"))
        return table

    monkeypatch.setattr(story_table, "open_table", opened)
    _, table = story_table.play_story(site, slug, letters=True, receipts=True)
    letters = [letter for letter in table.letters() if letter.kind in TO_PLAYERS]
    assert len(letters) > 20
    english = set()
    for letter in letters:
        words = AN_ORDER.sub(" ", table.words(letter))
        english |= {words[max(0, found.start() - 40):found.end() + 40] for found in ENGLISH.finditer(words)}
    assert english == set()
