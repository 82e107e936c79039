"""Lots from a committed seed (Q-35, ADJ-05; issue "Trust", 3)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from adjudicator.calendar import Phase, PhaseKind
from service.games import lots
from service.games.lots import NotCommitted
from service.store.letter_parts import finished
from service.store.tables import PhaseRow, PhaseState
from tests.support.played import SHORT, WINTER, finish, played
from tests.support.proofs import proof_of
from tests.support.public_site import visitor
from tests.support.site import Site, make_site
from tests.support.table import Table, open_table

SEED = "5f" * 32
GAME = "powick-bridge"


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A game in which two lots were drawn in its first phase."""
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


def sha(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


def words(table: Table, number: int = 1) -> list[str]:
    with table.site.store() as session:
        return lots.words_of(session, session.get_one(PhaseRow, table.phase(number).id))


# The arithmetic
# --------------------------------------------------------------------------------------------------------


def test_a_number_is_the_digest_of_seed_words_and_count() -> None:
    """As docs/record.md states it, by hashlib alone."""
    assert lots.tape([SEED], 2) == (int(sha(f"{SEED}\n1")[:8], 16), int(sha(f"{SEED}\n2")[:8], 16))
    assert lots.number([SEED, "Argyll: heather", "Montrose: 7"], 3) == int(
        sha(f"{SEED}\nArgyll: heather\nMontrose: 7\n3")[:8], 16
    )


@pytest.mark.parametrize(("among", "critical"), [(2, 10.828), (6, 20.515), (20, 43.820)])
def test_a_hundred_thousand_draws_are_unremarkable(among: int, critical: float) -> None:
    """Chi-squared against even chances; `critical` is the printed table's value for one in a thousand at
    among - 1 degrees of freedom."""
    count = 100_000
    observed = Counter(number % among for number in lots.tape([SEED], count))
    expected = count / among
    statistic = sum((observed[index] - expected) ** 2 / expected for index in range(among))
    assert statistic < critical
    # A remarkably even tape would be as suspicious, so the other end of the table counts too.
    assert statistic > {2: 1.5e-6, 6: 0.21, 20: 5.407}[among]


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    first_tape, second_tape = lots.tape([SEED], 1000), lots.tape([f"{SEED[:-1]}e"], 1000)
    assert len(set(first_tape) & set(second_tape)) <= 1


# Commitment
# ----------------------------------------------------------------------------------------------------------


def test_nothing_is_drawn_from_a_seed_that_was_not_entered_in_time(site: Site) -> None:
    """A hand in the database puts another seed in once orders are closed."""
    table = open_table(site)
    row = table.phase()
    site.clock.set(row.deadline + timedelta(minutes=1))
    table.set_phase(1, state=PhaseState.CLOSED)
    with site.engine.begin() as connection:
        # Anyone who may choose a seed after the orders are known chooses the lots: its digest must be in the
        # record first.
        connection.execute(text("UPDATE phases SET commitment = :digest WHERE ordinal = 1"),
                           {"digest": sha(SEED)})
    with pytest.raises(NotCommitted, match="was not entered in the record before the"):
        table.judge_phase(row.id)
    assert table.phase().resolution is None


def test_nothing_is_drawn_where_the_record_was_taken_away(site: Site) -> None:
    table = open_table(site)
    site.clock.set(table.phase().deadline + timedelta(minutes=1))
    table.set_phase(1, state=PhaseState.CLOSED)
    with site.engine.begin() as connection:
        for table_name in ("record", "record_heads"):
            connection.execute(text(f"DELETE FROM {table_name}"))
    with pytest.raises(NotCommitted):
        table.judge_phase(table.phase().id)


# Words of players
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("subject_end", "word"), [
    ("lots: heather", "heather"), ("Lots  Seven of  Hearts", "Seven of Hearts"), ("lot - 7", "7"),
    ("lotsheather", ""),
    ("final version", ""), ("lots:", ""), ("lots: " + "x" * 99, "x" * 60), ("lots: a\x00b\u202ec", "a b c"),
])  # fmt: skip
def test_the_word_in_a_subject(subject_end: str, word: str) -> None:
    assert lots.word_in(subject_end) == word


def test_the_last_word_of_each_power_that_comes_in_time_counts(site: Site) -> None:
    table = open_table(site)
    row = table.phase()

    def send(power: str, version: int, word: str, minutes: int) -> None:
        subject = f"{table.subject(power, version)} - lots: {word}"
        table.take(
            table.mail(power, 60 + version, subject=subject), row.deadline + timedelta(minutes=minutes)
        )

    send("Montrose", 1, "thistle", -9)
    send("Montrose", 2, "heather", -8)
    send("Argyll", 1, "salt & smoke", -7)
    send("Argyll", 2, "too late", 1)
    assert words(table) == ["Argyll: salt & smoke", "Montrose: heather"]
    assert ("Your word for the lots of this phase is stored: "
            "heather.") in table.words(table.letters("receipt")[1])


def test_a_word_changes_every_draw(site: Site) -> None:
    table = open_table(site)
    row = table.phase()
    with site.store.begin() as session:
        phase = session.get_one(PhaseRow, row.id)
        before = lots.tape(lots.mix_of(session, phase).lines, table.variant.rules.LOTS)
        assert lots.add_word(session, phase, "Montrose", "heather", row.opens_at, mail=None, by="Ada")
        after = lots.tape(lots.mix_of(session, phase).lines, table.variant.rules.LOTS)
    assert sum(left == right for left, right in zip(before, after, strict=True)) <= 1


# What is told
# ----------------------------------------------------------------------------------------------------------


def test_results_name_the_digest_before_and_open_the_seed_after(over: Table) -> None:
    first, coming = over.phase(1), next(p for p in over.phases()[1:] if p.kind == "adjustment")
    letter_text = over.words(over.letters("year_end_results")[0])
    assert "2 lots were drawn in phase 1, from the seed in the file of this letter." in letter_text
    assert (f"The lots of Winter 1644 (phase {coming.ordinal}) will be drawn from a seed that is fixed "
            "already. Mixed in: the digests of all mails with sheets that come by the "
            "deadline.") in letter_text
    proof = proof_of(finished(over.site.blobs, over.letters("year_end_results")[0]))
    assert proof["seed"] == first.seed
    promised = {seed["ordinal"]: seed["digest"] for seed in proof["seeds"]}
    assert promised[coming.ordinal] == coming.commitment
    assert str(first.seed) not in letter_text
    assert over.seed_of(coming.ordinal) not in letter_text
    assert "REMOVED BY ORDER" not in letter_text  # Newcastle ordered none
    assert letter_text.count("REMOVED BY LOT, IN THE ORDER DRAWN") == 1


def test_the_page_follows_each_draw_and_keeps_what_is_sealed(over: Table) -> None:
    with visitor(over.site) as browser:
        html, proof = browser.get(f"/public/{GAME}/lots"), browser.get(f"/public/{GAME}/lots.json")
    assert (html.status_code, proof.status_code) == (200, 200)
    proof_fields = json.loads(proof.text)
    drawn_phases = [(phase_lots["phase"], phase_lots["digest"]) for phase_lots in proof_fields["drawn"]]
    assert drawn_phases == [(1, sha(over.phase(1).seed or ""))]
    units = sorted(str(u.region) for u in over.position(1).units if u.power == SHORT)
    lines = ["galloper lots 2", f"{GAME} 1", f"seed {proof_fields['drawn'][0]['seed']}"]
    for position, draw in enumerate(proof_fields["drawn"][0]["draws"], start=1):
        number = int(sha("\n".join([*lines, str(position)]))[:8], 16)
        assert (draw["number"], draw["among"], draw["left_over"]) == (number, len(units), number % len(units))
        assert draw["taken"].endswith(units.pop(number % len(units)))
        assert str(number) in html.text
    for row in over.phases()[1:]:
        assert over.seed_of(row.ordinal) not in html.text + proof.text


def test_no_seed_is_shown_between_judging_and_sending(site: Site) -> None:
    """The coordinator has looked at the draft; the players have not."""
    table = open_table(site, first=Phase(1643, "Winter", PhaseKind.ADJUSTMENT))
    assert Phase(1643, "Winter", PhaseKind.ADJUSTMENT) == WINTER
    row = table.phase()
    site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    assert table.phase().state == PhaseState.READY
    with visitor(site) as browser:
        pages = browser.get(f"/public/{GAME}/lots").text + browser.get(f"/public/{GAME}/lots.json").text
    assert table.seed_of() not in pages
    assert sha(table.seed_of()) in pages


def test_a_game_that_is_not_here(site: Site) -> None:
    with visitor(site) as browser:
        assert browser.get("/public/nowhere/lots").status_code == 404
        assert browser.get("/public/nowhere/lots.json").status_code == 404


def test_the_same_seed_gives_the_same_lots_again(over: Table, tmp_path: Path) -> None:
    """Rolled back and judged once more, nothing is drawn again."""
    assert tmp_path
    with make_site(tmp_path) as site:
        table = open_table(site, position=over.position(1))
        row = table.phase()
        site.clock.set(row.deadline + timedelta(minutes=1))
        table.close_phase(row.id)
        first = table.resolution().removed_by_lot
        table.judge_phase(row.id)
        assert table.resolution().removed_by_lot == first
        assert len(first) == 2
        finish(table)
