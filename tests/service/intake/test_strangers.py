"""BOX-05: a stranger's mail costs nothing. It is judged by its headers alone, and every other mail is opened
in the limited child."""

from __future__ import annotations

import resource
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from service.facts.refusals import RefusalReason
from service.intake.opening.open_mail import REPORT, WHOLE, ChildBodies, open_mail
from service.intake.sender_proof import is_expected
from service.intake.sheets.recognizer import UnopenedProbe
from service.intake.verdicts.rules import body_need, judge_mail
from service.intake.verdicts.verdict import Verdict
from service.mail.body.read import BodyNeed, MailBody
from service.mail.headers import MOST_HEADER_LINES, split_headers
from service.mail.message import IncomingMail, read_head
from service.store.tables import MailState
from tests.support.mail_bombs import BODIES, HEAD, HEADS, bomb, open_tags
from tests.support.mail_builder import (
    IN_TIME,
    MONTROSE,
    SUBJECT,
    context,
    mail,
    multipart,
    part,
    picture,
    stamp,
    text,
)
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

CONTEXT = context()
PROVED = stamp("mailbox.example").encode() + b"\r\n"
HURRIED = ChildBodies(
    whole=replace(WHOLE, cpu_seconds=1, wall_seconds=60.0), report=replace(REPORT, wall_seconds=60.0)
)
"""The child as in the service, with a second of processor time for a mail."""
WORKER_SECONDS = 0.4
"""Processor time of the worker for one mail of up to 24 MB. Hashing it takes a tenth of that; opening one of
the bombs took it 6 seconds and more."""


def worker_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class NoBodies:
    """Must not be asked."""

    def read(self, raw: bytes, need: BodyNeed) -> MailBody | None:
        raise AssertionError("this mail must not be opened")


def judged(raw: bytes) -> Verdict:
    """The verdict, with bodies read in the child."""
    head = read_head(raw)
    opened = open_mail(head, raw, body_need(head, CONTEXT), HURRIED, UnopenedProbe())
    return judge_mail(opened, IN_TIME, CONTEXT)


@pytest.mark.parametrize("name", [*BODIES, *HEADS])
def test_no_mail_of_a_stranger_is_opened_whatever_it_holds(name: str) -> None:
    raw = bomb(name)
    begun = worker_seconds()
    head = read_head(raw)
    unopened = open_mail(head, raw, body_need(head, CONTEXT), NoBodies(), UnopenedProbe())
    verdict = judge_mail(unopened, IN_TIME, CONTEXT)
    assert worker_seconds() - begun < WORKER_SECONDS
    assert verdict.reason in {RefusalReason.AUTH_FAILED, RefusalReason.BAD_FROM}
    assert verdict.reply_to is None


QUICK = ("0.4 MB in 450 multiparts", "a file name in 30,000 pieces", "300,000 marks of bold text")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in BODIES]
)
def test_a_players_mail_costs_its_child_seconds_and_the_worker_next_to_nothing(name: str) -> None:
    raw = PROVED + bomb(name)
    begun, child_begun = worker_seconds(), child_seconds()
    verdict = judged(raw)
    assert worker_seconds() - begun < WORKER_SECONDS
    # The kernel counts in whole seconds and ends the child at the second one.
    assert child_seconds() - child_begun < 3.5
    # Whatever it is, the player is informed, and the mail is not a sheet.
    assert verdict.reason in {RefusalReason.TOO_LARGE, RefusalReason.COULD_NOT_BE_HANDLED,
                              RefusalReason.NO_PHOTO, RefusalReason.BAD_IMAGE}
    assert verdict.reply_to == MONTROSE


def test_what_looks_like_a_bounce_is_read_within_limits_and_not_believed() -> None:
    report = HEAD.replace(MONTROSE.encode(), b"MAILER-DAEMON@mx.example").replace(
        b"Return-Path: <MAILER-DAEMON@mx.example>", b"Return-Path: <>")
    raw = report + BODIES["0.4 MB in 450 multiparts"]()
    assert body_need(read_head(raw), CONTEXT) is BodyNeed.REPORT
    begun = worker_seconds()
    judged(raw)
    assert worker_seconds() - begun < WORKER_SECONDS


def test_one_mail_harms_no_other_that_the_child_reads_beside_it() -> None:
    good = mail()
    bodies = HURRIED.read_all([(good, BodyNeed.WHOLE), (HEAD + open_tags(110_000), BodyNeed.WHOLE),
                               (good, BodyNeed.WHOLE)])
    assert bodies[1] is None
    assert bodies[0] == bodies[2]
    assert bodies[0] is not None
    assert [file.content for file in bodies[0].files] == [picture()]


@pytest.mark.parametrize("stamps", [[], [stamp("mailbox.example", "fail")], [stamp("else.example")]])
def test_a_registered_address_opens_nothing_before_it_is_proved(stamps: list[str]) -> None:
    assert body_need(read_head(mail(stamps=stamps)), CONTEXT) is BodyNeed.NONE


def test_a_proved_stranger_is_not_opened_and_is_judged_as_before() -> None:
    raw = mail(sender="mallory@else.example", stamps=[stamp("else.example")])
    head = read_head(raw)
    assert body_need(head, CONTEXT) is BodyNeed.NONE
    assert judge_mail(head, IN_TIME, CONTEXT).reason is RefusalReason.UNKNOWN_SENDER


def test_headers_that_nobody_can_see_whole_prove_nobody() -> None:
    """A second From may be below what is looked at."""
    padding = [f"X-Pad: {k}" for k in range(MOST_HEADER_LINES)]
    hidden = mail(from_lines=[f"From: {MONTROSE}", *padding, "From: mallory@else.example"])
    assert judge_mail(read_head(hidden), IN_TIME, CONTEXT).reason is RefusalReason.AUTH_FAILED
    assert body_need(read_head(hidden), CONTEXT) is BodyNeed.NONE
    assert body_need(read_head(mail(headers=padding[:500])), CONTEXT) is BodyNeed.WHOLE


LINES = st.lists(
    st.sampled_from([b"From: a@b.example", b" folded", b"\tfolded", b"no header", b"X:", b": none", b"\0"])
    | st.binary(max_size=20), max_size=12).map(b"\r\n".join)


@given(LINES, st.binary(max_size=60))
def test_what_stands_below_the_first_blank_line_changes_no_header(head: bytes, body: bytes) -> None:
    raw = head + b"\r\n\r\n" + body
    headers, body_start = split_headers(raw)
    assert headers.is_complete
    above, start_above = split_headers(raw[:body_start])
    assert (above.fields, start_above) == (headers.fields, body_start)
    assert raw[:body_start].rstrip(b"\r\n") == b"" or raw[:body_start].endswith(b"\n")


# Through the service


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def unreadable(power: str, table: Table) -> bytes:
    """A proved mail of a player that no child can read in a second: a sheet, and a page of open tags."""
    body = multipart([part(picture()), open_tags(110_000)])
    return mail(table.subject(power), address(power), body=body,
                stamps=[stamp(address(power).rpartition("@")[2], server=SERVER)])


def test_a_players_mail_that_costs_too_much_is_kept_and_both_are_told_at_the_first_try(table: Table) -> None:
    costly = replace(table, bodies=HURRIED)
    raw = unreadable("Montrose", table)
    row = costly.take(raw, table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.QUARANTINED, RefusalReason.COULD_NOT_BE_HANDLED.value)
    assert table.site.blobs.read(row.sha256) == raw
    assert sorted(table.written_letters()) == [
        ("coordinator_notice", COORDINATOR), ("rejection", address("Montrose"))]
    words = table.words(table.letters("rejection")[0])
    for phrase in ("safe", "our machine could not open it", "The coordinator will look at it"):
        assert phrase in words
    assert table.submissions() == []


def test_a_second_mail_of_a_stranger_is_no_repeat_of_the_first_unless_it_is(table: Table) -> None:
    """A player who writes from another address: each of the two sheets is seen by the coordinator."""
    def of_stranger(shade: int, trace: str) -> bytes:
        return mail(table.subject("Montrose"), "other@else.example", parts=[text(), part(picture(shade))],
                    headers=[trace], stamps=[stamp("else.example", server=SERVER)])

    opens = table.phase().opens_at
    states = [table.take(raw, opens).state for raw in (
        of_stranger(10, "X-Trace: 1"), of_stranger(20, "X-Trace: 1"), of_stranger(10, "X-Trace: 2"))]
    assert states == [MailState.QUARANTINED, MailState.QUARANTINED, MailState.IGNORED]


def test_a_proved_mail_of_a_player_goes_before_those_of_strangers_and_forgers(table: Table) -> None:
    with table.site.store() as session:
        trust = table.context_of(session, IN_TIME).trust
        mine, forged = table.mail("Montrose"), table.mail("Montrose", result="fail")
        stranger = mail(SUBJECT, "mallory@else.example", stamps=[stamp("else.example", server=SERVER)])
        assert [is_expected(session, raw, trust) for raw in (mine, forged, stranger, b"")] == [
            True, False, False, False]


def test_a_head_alone_is_never_taken_for_a_mail_without_photographs() -> None:
    head: IncomingMail = read_head(mail())
    with pytest.raises(ValueError, match="has to be read"):
        judge_mail(head, IN_TIME, CONTEXT)
