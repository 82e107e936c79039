"""Replay (issue "Trust", 7): old sheets read by another reader into a comparison that changes nothing, and a
phase judged again from the archive to the same bytes."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path

import pytest
from sqlalchemy import select

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.serialize import codec
from ocr.engines.hand import Hand
from ocr.page import Box, Page
from service.archive.export import Edition
from service.features.reread.reread import Change, ReadWith, RereadFault, check_archive, run_reread
from service.games import decisions
from service.games.decisions import Decision, ReviewAction
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import EngineRecognizer, LessonPage
from service.notices.answers.replies import Replies
from service.store.digests import canonical, plain
from service.store.tables import GameRow, HandRow, LineRow, LineState, PageRow, SubmissionRow
from tests.service.intake.sheets.test_read_submission import Shown, page, recognized
from tests.support.altered import packed, unpacked
from tests.support.features import commands_of
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.played import archived, finish
from tests.support.site import make_site
from tests.support.table import SERVER, Table, address, open_table

WRITTEN = ("A Atholl H", "A The Mearns - Atholl", "A Caerlaverock Castle H", ("F Pentland Firth - Moray & "
                                                                              "Nairn"), "A Moray & Nairn H")
"""What is on the sheet; its last line is there for the new reader alone to miss."""
THEN = (
    ("A Atholl H", LineState.AUTO),
    ("A The Meams - Athol", LineState.OPEN),
    ("A Caerlaverock Castle H", LineState.OPEN),
    ("F Pentland Firth - Moray & Nairn", LineState.AUTO),
    ("A Moray & Nairn H", LineState.AUTO),
)
HANDS = (Hand(b"first", "0" * 64), Hand(b"second", "0" * 64))
NOW = ("A Atholl H", "A The Mearns - Atholl", "A Caerlaverock Castle H", "F Pentland Firth H")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """Montrose's sheet as an older reader read it: two lines doubtful, of which a person put one right. The
    game takes German order words too."""
    with make_site(tmp_path_factory.mktemp("site")) as site:
        game_table = open_table(site)
        with site.store.begin() as session:
            game = session.get_one(GameRow, game_table.game)
            game.options = {**game.options, "order_languages": ["german"]}
        phase = game_table.phase()
        game_table.take(game_table.mail("Montrose", 90), phase.opens_at + timedelta(minutes=1))
        with site.store.begin() as session:
            row = session.scalars(select(PageRow)).one()
            # As if read: the page has its upright picture.
            row.upright = row.original
            for ordinal, (words, state) in enumerate(THEN):
                order = words if words in WRITTEN else None
                session.add(
                    LineRow(
                        page_id=row.id,
                        ordinal=ordinal,
                        kind="order",
                        text=words,
                        order=order,
                        confidence=0.9,
                        status=state.value,
                        box=[
                            [50, 100 + 60 * ordinal],
                            [700, 100 + 60 * ordinal],
                            [700, 140 + 60 * ordinal],
                            [50, 140 + 60 * ordinal],
                        ],
                        candidates=[{"text": words, "order": order, "score": 0.9}],
                    )
                )
            submission = session.get_one(SubmissionRow, row.submission_id)
            # As if read with the first of two hands that were learnt of Montrose's player (INK-05).
            submission.read_at, submission.hand = phase.opens_at + timedelta(minutes=2), HANDS[0].digest
            for version, hand in enumerate(HANDS, start=1):
                session.add(HandRow(
                    player_id=submission.player_id, version=version, digest=hand.digest, base=hand.base,
                    layer=base64.b64encode(hand.data).decode(), lines=[], made_at=phase.opens_at))
        site.clock.set(phase.deadline + timedelta(minutes=1))
        game_table.close_phase(phase.id)
        with site.store.begin() as session:
            lines = list(session.scalars(select(LineRow.id).order_by(LineRow.ordinal)))
            decisions.file(session, ReviewAction("one", phase.id, "Ada", site.clock.now()), [
                Decision(lines[index], LineState.READ, WRITTEN[index], WRITTEN[index]) for index in (1, 2)])
        game_table.judge_when_read(phase.id)
        game_table.approve_phase(phase.id, "Ada")
        yield game_table


class Handy(Shown):
    """A recognizer that sees the sheet right with the first hand, worse with the second and with none."""

    def learn(self, pages: Sequence[LessonPage]) -> Hand | None:
        raise AssertionError("nothing is learnt of an archive")

    def with_hand(self, hand: Hand) -> Shown:
        lines = WRITTEN if hand == HANDS[0] else NOW
        return Shown({picture(90): (recognized(_lifted(page(["Montrose", *lines]))),)})


@pytest.mark.parametrize(("which", "missing"), [(ReadWith.THEN, 0), (ReadWith.NOW, 1), (ReadWith.NONE, 1)])
def test_a_sheet_is_read_again_with_the_hand_of_then_of_now_or_with_none(
    table: Table, tmp_path: Path, which: ReadWith, missing: int
) -> None:
    """INK-05: the archive carries the hand that the record names, so the reading can be repeated, and the
    difference that it makes be seen."""
    path, out = tmp_path / "game.zip", io.StringIO()
    path.write_bytes(archived(table))
    common = Handy({picture(90): (recognized(_lifted(page(["Montrose", *NOW]))),)})
    run_reread(path, common, maps.load, None, out, io.StringIO(), as_json=True, read_with=which)
    summary = json.loads(out.getvalue().splitlines()[-1])
    assert summary["changes"][Change.GONE] == missing


def test_a_hand_that_was_forgotten_is_said_to_be_missing(table: Table, tmp_path: Path) -> None:
    files = unpacked(archived(table))
    rows = [json.loads(line) for line in files["tables.jsonl"].splitlines()]
    for row in rows:
        if row["table"] == "hands":
            row["row"]["layer"] = None
    files["tables.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path, out, said = tmp_path / "game.zip", io.StringIO(), io.StringIO()
    path.write_bytes(packed(files))
    common = Handy({picture(90): (recognized(_lifted(page(["Montrose", *NOW]))),)})
    run_reread(path, common, maps.load, None, out, said, as_json=True)
    assert "was read with a hand that has been forgotten since" in said.getvalue()


def again(data: bytes, folder: Path, lines: Sequence[str], *, as_json: bool = True) -> str:
    """What another reader, which sees these lines, makes of the archive."""
    path, out = folder / "game.zip", io.StringIO()
    path.write_bytes(data)
    recognizer = Shown({picture(90): (recognized(_lifted(page(["Montrose", *lines]))),)})
    assert run_reread(path, recognizer, maps.load, None, out, io.StringIO(), as_json=as_json) == 0
    assert path.read_bytes() == data
    return out.getvalue()


def test_a_game_s_own_order_words_are_read_again_too(table: Table, tmp_path: Path) -> None:
    """WRD-07: a sheet in German is no worse than when it was read, where its game takes German words."""
    german = ("Armee Atholl hält", "Armee The Mearns nach Atholl", "Armee Caerlaverock Castle hält",
              "Flotte Pentland Firth nach Moray & Nairn", "Armee Moray & Nairn hält")
    report = again(archived(table), tmp_path, german, as_json=False)
    assert "5 lines of orders: 3 as before, 1 right now, 1 right as before, and sure now." in report


def _lifted(original: Page) -> Page:
    """The page with its heading one row above where the sheet's first order is."""
    lines = [
        replace(line, box=Box(tuple((x, y - 60) for x, y in line.box.corners)))  # type: ignore[arg-type]
        for line in original.lines
    ]
    return replace(original, lines=tuple(lines))


def test_each_line_is_set_beside_what_it_counted_as(table: Table, tmp_path: Path) -> None:
    *lines, summary = [json.loads(line) for line in again(archived(table), tmp_path, NOW).splitlines()]
    change_by_line = {line["counted"]: line["change"] for line in lines}
    assert change_by_line == {
        WRITTEN[0]: Change.ALIKE, WRITTEN[1]: Change.BETTER, WRITTEN[2]: Change.SPARED,
        WRITTEN[3]: Change.WORSE_UNSEEN,
        WRITTEN[4]: Change.GONE}
    assert [line["decided"] for line in lines if line["counted"] in WRITTEN[1:3]] == [True, True]
    assert summary["lines"] == len(lines) == 5
    assert summary["changes"][Change.BETTER] == 1


def test_the_same_reader_says_the_same(table: Table, tmp_path: Path) -> None:
    report = again(archived(table), tmp_path, WRITTEN, as_json=False)
    assert "wrong now" not in report
    assert "5 lines of orders: 3 as before, 1 right now, 1 right as before, and sure now." in report
    assert "Nothing was changed: the results stay as sent." in report


def test_it_wants_the_photographs_and_an_archive_that_fits(table: Table, tmp_path: Path) -> None:
    with pytest.raises(RereadFault, match="has no photographs"):
        again(archived(table, Edition.PLAYERS), tmp_path, NOW)
    # Cut off, the seal is wrong; without a photograph, the record names what is missing.
    whole_archive = archived(table)
    with pytest.raises(RereadFault, match="cut off"):
        again(whole_archive[:-100], tmp_path, NOW)
    files = unpacked(whole_archive)
    del files[next(name for name in files if name.startswith("photographs/"))]
    with pytest.raises(RereadFault, match=r"of entry \d+ is missing. Nothing was read"):
        again(packed(files), tmp_path, NOW)


def test_a_judged_phase_is_judged_again_to_the_same_bytes(table: Table, tmp_path: Path) -> None:
    """From the archive alone: the canonical text of what the judge states now has the digest of what was
    entered, and of what the site itself keeps. Lots:
    `test_lots.py::test_the_same_seed_gives_the_same_lots_again`."""
    path = tmp_path / "game.zip"
    path.write_bytes(archived(table))
    archive = check_archive(path)
    ((_, tells),) = archive.facts["judged"]
    orders: list[Order] = [outcome.order for outcome in codec.load_resolution(tells["resolution"]).outcomes]
    variant = maps.load(archive.manifest["variant"])
    resolution = judge(
        variant.context(),
        variant.rules,
        codec.load_position(tells["position"]),
        orders,
        Lots(tuple(tells["lots"]["numbers"])),
    )
    texts = [
        canonical(plain(stored)).encode()
        for stored in (codec.dump_resolution(resolution), tells["resolution"], table.phase().resolution)
    ]
    assert len(orders) == 5
    assert len({hashlib.sha256(text).hexdigest() for text in texts}) == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_real_ink_is_read_the_second_time_as_the_first(tmp_path: Path) -> None:
    """The same reader over the same photograph."""
    pytest.importorskip("rapidocr")
    # Then whatever a comparison tells is another reader's doing, and none of the program's.
    recognizer, sender = EngineRecognizer(), address("Montrose")
    photo = (resources.files("demo.data") / "w3k" / "summer-montrose-v1.jpg").read_bytes()
    with make_site(tmp_path) as site:
        table = open_table(site)
        table.take(mail(table.subject("Montrose"), sender, parts=[text("See the sheet."), part(photo)],
                      stamps=[stamp(sender.rpartition("@")[2], "pass", SERVER)]), table.phase().opens_at)
        SubmissionReader(
            store=site.store,
            blobs=site.blobs,
            clock=site.clock,
            recognizer=recognizer,
            load=table.load,
            replies=Replies(table.writer),
            on_read=lambda _phase: None,
        ).read({"submission": table.submissions()[0].id})
        finish(table)
        path, out = tmp_path / "game.zip", io.StringIO()
        path.write_bytes(archived(table))
    assert run_reread(path, recognizer, maps.load, None, out, io.StringIO(), as_json=True) == 0
    *lines, summary = [json.loads(line) for line in out.getvalue().splitlines()]
    assert summary["changes"][Change.ALIKE] == summary["lines"] == len(lines) >= 5
    assert all(line["was"] == line["now"] for line in lines)


def test_its_commands() -> None:
    assert commands_of("reread") == {"game read-again"}
