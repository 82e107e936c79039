"""`?` tells everything: a person who has never read a line could do it from the page alone (desk plan, "Done
when")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from reading import vocabulary
from reading.completions import written
from service.desk.reading.keys import ACTIONS
from service.store.tables import UserRow
from tests.support.desk_site import NAME, DeskSite

VARIANTS = sorted(path.parent.name for path in Path("maps").glob("*/variant.toml"))
KINDS = tuple(PhaseKind)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path)
    desk_site.sign_in()
    yield desk_site
    desk_site.close()


def _help(desk: DeskSite) -> str:
    page = desk.page("/desk/7?line=3")
    return page[page.index('<dialog id="keys"'):page.index("</dialog>")]


def test_every_key_is_explained_in_the_text_and_not_only_listed(desk: DeskSite) -> None:
    """A list of keys shows what each does; the text shows when."""
    explained = _help(desk).split('class="explained"')[1].split("</div>")[0]
    explained_keys = set(re.findall(r"<kbd>([^<]+)</kbd>", explained))
    for action in ACTIONS:
        key = action.key if action.fixed else action.key.upper() if len(action.key) == 1 else "Shift+U"
        # Explained together with others: the arrows with Enter, the numbers as "1 to 5".
        if action.name not in {"up", "down", "help", "reading-2", "reading-3", "reading-4"}:
            assert key in explained_keys, action.name
    assert {"Tab", "Esc", "T", "Y", "←", "→"} <= explained_keys


def test_the_text_names_a_persons_own_keys(desk: DeskSite) -> None:
    with desk.store.begin() as session:
        session.get_one(UserRow, NAME).keys = {"not-order": "x"}
    explained = _help(desk).split('class="explained"')[1].split("</div>")[0]
    assert "a line crossed out: <kbd>X</kbd>" in explained


@pytest.mark.parametrize("sentence", [
    "what do these marks say?", "photographed line with part", "‸", "sure", "not an order", "crossed out",
    "equally good",
    "comes back at the end", "your last decision", "a few letters of a name", "kept as written",
    "Two orders in one row",
    "Ink cut off by its frame", "After the last line", "not yet saved", "Signed out",
    "while you read it",
    "came late", "No picture", "To change a key"])
def test_whatever_may_happen_while_lines_are_read_is_told(desk: DeskSite, sentence: str) -> None:
    assert sentence in _help(desk)


@pytest.mark.parametrize(
    ("slug", "kind"),
    [
        (slug, kind)
        for slug in VARIANTS
        for kind in KINDS
        if kind in {step for _, step in maps.load(slug).calendar.steps}
    ],
)
def test_the_examples_of_orders_are_understood_as_they_stand(slug: str, kind: PhaseKind) -> None:
    """Each is an order of its phase, with names of the board; none is chosen by what is there
    (DESK-03)."""
    variant = maps.load(slug)
    examples = written(variant, kind)
    assert len(examples) >= 2
    assert all(meaning for _, meaning in examples)
    for order, _ in examples:
        assert vocabulary.parse_typed(variant, kind, next(iter(variant.powers)), order).orders
    if kind is PhaseKind.MOVEMENT:
        assert {" H", " - ", " S ", " C "} <= {
            mark for order, _ in examples for mark in (" H", " - ", " S ", " C ") if mark in order
        }


@pytest.mark.parametrize(
    ("slug", "kind", "own_marks"),
    [
        ("bretwalda", PhaseKind.MOVEMENT, {" = B", "(db)"}),
        ("bretwalda", PhaseKind.ADJUSTMENT, {"Build B ", "Home "}),
        ("britain1066", PhaseKind.MOVEMENT, {"A/F ", "destroys armies", "lies in The Wash"}),
        ("britain1066", PhaseKind.ADJUSTMENT, {"Build A/F ", "Nominate "}),
        ("war1648", PhaseKind.MOVEMENT, {" FCA", "M "}),
        ("war1648", PhaseKind.ADJUSTMENT, {"Build M ", "Lend ", "Take back ", "Designate "}),
        (
            "brittania",
            PhaseKind.TURN,
            {
                "Capital ", "for Defense of ", "for Investing of ", "for Conquest of ", " with the King",
                "King to ", "for Alliance with ", "for Swap of ", "Send 5 Grain to ",
            },
        ),
        ("w3k", PhaseKind.MOVEMENT, {" converts to F", " proxy "}),
        ("w3k", PhaseKind.ADJUSTMENT, {"Send 1 supply to "}),
        ("standard", PhaseKind.ADJUSTMENT, set()),
    ],
)
def test_each_game_is_explained_in_its_own_notation_and_in_no_other(
    slug: str, kind: PhaseKind, own_marks: set[str]
) -> None:
    """DESK-03: the orders that a game has and the classic one has not; and nothing that its rules do not
    take."""
    orders = [order for order, _ in written(maps.load(slug), kind)]
    assert {mark for mark in own_marks if any(mark in order for order in orders)} == own_marks
    # Marks of other games' orders: none of them may be offered where the rules do not take it.
    foreign = {
        " proxy ", "supply", " converts ", "(db)", "FCA", "Grain", "Lend", "destroys", "Home ", "Nominate ",
    } - own_marks
    assert not [
        order
        for order in orders
        for mark in foreign
        if mark in order and not any(own_mark in order for own_mark in own_marks)
    ]


def test_a_second_reader_is_not_sent_to_pages_that_are_the_coordinators(desk: DeskSite) -> None:
    assert "Open the whole sheet" in desk.page("/desk/7?line=3")
    assert 'href="/sheet/1"' in desk.page("/desk/7?line=3")
    with desk.store.begin() as session:
        session.get_one(UserRow, NAME).role = "second reader"
    page = desk.page("/desk/7?line=3")
    assert "Open the whole sheet" not in page
    assert "tell the coordinator" in _help(desk)
