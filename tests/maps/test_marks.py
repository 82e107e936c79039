"""What marks of provinces say to players: on the move page and next to the map."""

from __future__ import annotations

import maps
from maps.variant import mark_phrases, provinces_by_mark
from service.pictures.board.index_pages import index_page
from service.public.moves import page

WAR = maps.load("war1648")


def test_marks_are_said_in_words() -> None:
    """TYW-08, TYW-09, TYW-12: ice, special centres and lettered centres are not on any printed list."""
    provinces = WAR.board.provinces
    assert mark_phrases(WAR, provinces["Kargopol"]) == ("freezes in winter",)
    assert mark_phrases(WAR, provinces["Pomerania"]) == ("fleets may be built here by Sweden",)
    assert mark_phrases(WAR, provinces["London"]) == ()
    special = provinces_by_mark(WAR)["special centre of the Ottoman Empire"]
    assert special == ["Buda", "Egypt", "Macedonia", "Serbia", "Smyrna"]


def test_the_move_page_and_the_table_beside_the_map_say_them() -> None:
    html = page(WAR).html
    assert "coastal, supply centre, freezes in winter" in html
    assert "at sea, freezes in winter" in html
    table = index_page(WAR, WAR.start.centres, "1648")
    assert "<th scope='row'>fleets may be built here by Sweden</th><td>Livonia, Pomerania</td>" in table


def test_a_board_without_marks_has_no_such_table() -> None:
    standard = maps.load("standard")
    assert provinces_by_mark(standard) == {}
    assert "What else is marked" not in index_page(standard, standard.start.centres, "Classic")
