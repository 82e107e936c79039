"""One mail, one verdict: every reason of the index's rules, and the order in which the tests run."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.facts.refusals import RefusalReason
from service.intake.verdicts.context import ContextError, IntakeContext, context_from_json, instant
from service.intake.verdicts.rules import as_earlier_mail
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.mail.message import read_mail
from tests.support.mail_builder import (
    IN_TIME,
    MONTROSE,
    SUBJECT,
    context,
    index,
    judge,
    judge_all,
    mail,
    multipart,
    part,
    picture,
    stamp,
    text,
)
from tests.support.opening import own_probe

DEADLINE = datetime(2025, 3, 23, 7, tzinfo=UTC)


def reason(verdict: Verdict) -> str | None:
    return None if verdict.reason is None else verdict.reason.value


def games(**changes: Any) -> IntakeContext:
    """The fixtures' context with keys of Powick Bridge changed."""
    known = index()["context"]["games"]
    return context(games={**known, "Powick Bridge": {**known["Powick Bridge"], **changes}})


@pytest.mark.parametrize(
    ("headers", "sender", "expected"),
    [
        ([], "orders@w3k.example", "own_mail"),
        ([], "ORDERS@W3K.example", "own_mail"),
        ([], "orders+receipt.3f1e092b696858583eb6c161@w3k.example", "own_mail"),
        (["Message-ID: <receipt.0004@w3k.example>"], MONTROSE, "own_mail"),
        # BOX-01: a player may have the site's domain in a Message-ID, and answers to a letter of ours.
        (["Message-ID: <55E3F2C4-94F9-43CB-AA39-06DBA4E37A56@w3k.example>"], MONTROSE, None),
        (["In-Reply-To: <receipt.0004@w3k.example>"], MONTROSE, None),
        (["Auto-Submitted: auto-replied"], MONTROSE, "auto_reply"),
        (["Auto-Submitted: auto-generated; owner=x"], MONTROSE, "auto_reply"),
        # ARR-05: a rule of the player's own mailbox, and Exchange's.
        (["Auto-Submitted: auto-forwarded"], MONTROSE, None),
        (["Auto-Submitted: auto-generated", f"X-MS-Exchange-Inbox-Rules-Loop: {MONTROSE}"], MONTROSE, None),
        (["Auto-Submitted: auto-forwarded", "X-Autoreply: yes"], MONTROSE, "auto_reply"),
        (["Auto-Submitted: auto-replied", f"X-MS-Exchange-Inbox-Rules-Loop: {MONTROSE}"], MONTROSE,
         "auto_reply"),
        (["Auto-Submitted: no"], MONTROSE, None),
        (["Auto-Submitted: No (a person wrote this)"], MONTROSE, None),
        (["Precedence: auto_reply"], MONTROSE, "auto_reply"),
        # "bulk" does not state that a machine wrote the mail.
        (["Precedence: bulk"], MONTROSE, None),
        (["X-Autoreply: yes"], MONTROSE, "auto_reply"),
        (["X-Auto-Response-Suppress: All"], MONTROSE, None),
    ],
)
def test_machines(headers: list[str], sender: str, expected: str | None) -> None:
    known = context(sent_message_ids=["<receipt.0004@w3k.example>"])
    verdict = judge(mail(sender=sender, headers=headers), known=known)
    assert reason(verdict) == expected
    if expected is not None:
        assert verdict.verdict is VerdictKind.IGNORED
        assert verdict.reply_to is None


def test_empty_return_path_is_a_machine() -> None:
    raw = mail().replace(f"Return-Path: <{MONTROSE}>".encode(), b"Return-Path: <>")
    assert reason(judge(raw)) == "auto_reply"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["From: "],
        ["From: James Graham"],
        ["From: undisclosed-recipients:;"],
        [f"From: {MONTROSE}, acampbell@post.example"],
        [f"From: {MONTROSE}", "From: acampbell@post.example"],
        # None of two addresses can be chosen.
        [f"From: <{MONTROSE}> <acampbell@post.example>"],
        # A line break in an encoded word, on which Python's own header classes raise.
        ["From: =?utf-8?q?graham.j=0D=0A?=@mailbox.example"],
        ["From: <=?utf-8?q?graham.j=0D=0ABcc=3A?=@mailbox.example>"],
    ],
)
def test_not_exactly_one_sender(lines: list[str]) -> None:
    verdict = judge(mail(from_lines=lines))
    assert (verdict.verdict, reason(verdict)) == (VerdictKind.REJECTED, "bad_from")
    # With no From, two fields or two addresses no one can say whose mail it is, so no one is answered.
    assert verdict.reply_to is None


@pytest.mark.parametrize(
    "line",
    [
        'From: "Graham, James" <graham.j@mailbox.example>',
        "From: Graham, James <graham.j@mailbox.example>",
        "From: graham.j@mailbox.example (acampbell@post.example)",
        "From: GRAHAM.J@Mailbox.Example",
        """From: "acampbell@post.example" <graham.j@mailbox.example>""",
        "From: =?utf-8?B?QSwgQg==?= <graham.j@mailbox.example>",
    ],
)
def test_display_names_prove_nothing(line: str) -> None:
    verdict = judge(mail(from_lines=[line]))
    assert verdict.verdict is VerdictKind.ACCEPTED
    assert verdict.reply_to == MONTROSE


def test_reply_to_and_sender_headers_prove_nothing() -> None:
    headers = ["Sender: acampbell@post.example", "Reply-To: attacker@evil.example"]
    verdict = judge(mail(headers=headers, parts=[text()]))
    # DMARC proves the domain of From alone; an answer to Reply-To would go to whom the attacker names.
    assert (reason(verdict), verdict.reply_to) == ("no_photo", MONTROSE)


def test_failed_authentication_alerts_and_answers_nobody() -> None:
    verdict = judge(mail(stamps=[stamp("mailbox.example", "fail")]))
    assert (reason(verdict), verdict.alert, verdict.reply_to) == ("auth_failed", True, None)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("", "subject_unparsed"),
        ("my orders", "subject_unparsed"),
        ("Powick Bridge, Montrose, Autumn 1644", "subject_unparsed"),
        ("Montrose, Autumn 1644 Retreats, v1", "subject_unparsed"),
        ("Naseby, Montrose, Autumn 1644 Retreats, v1", "unknown_game"),
        ("Powick Bridge, Xanadu, Autumn 1644 Retreats, v1", "unknown_power"),
        ("Powick Bridge and Edgehill, Montrose, Autumn 1644 Retreats, v1", "ambiguous_game"),
        ("Powick Bridge, Montrose and Argyll, Autumn 1644 Retreats, v1", "ambiguous_power"),
        ("Powick Bridge, Argyll, Autumn 1644 Retreats, v1", "sender_not_power"),
        ("Powick Bridge, Irish Confederacy, Autumn 1644 Retreats, v1", "sender_not_power"),
        ("Edgehill, Montrose, Spring 1643 Movement, v1", "unknown_sender"),
        ("Powick Bridge, Montrose, Winter 1645 Retreats, v1", "phase_type_mismatch"),
        ("Powick Bridge, Montrose, Autumn 1644 Adjustments, v1", "phase_type_mismatch"),
        ("Powick Bridge, Montrose, Autumn 1644 Movement, v1", "wrong_phase"),
        ("Powick Bridge, Montrose, Autumn 1645 Retreats, v1", "wrong_phase"),
        ("Powick Bridge, Montrose, Winter 1645 Adjustments, v1", "wrong_phase"),
        (SUBJECT, None),
    ],
)
def test_subject_names_sender_and_phase(subject: str, expected: str | None) -> None:
    verdict = judge(mail(subject))
    assert reason(verdict) == expected
    assert verdict.reply_to == MONTROSE
    assert not verdict.alert


def test_ambiguous_by_name_alone_whatever_the_other_fields_say() -> None:
    known = index()["context"]["games"]
    two = context(games={"Powick Ridge": known["Edgehill"], **known})
    verdict = judge(mail("Powick Brdge, Montrose, Autumn 1644 Retreats, v1"), known=two)
    assert reason(verdict) == "ambiguous_game"
    assert verdict.complaint is not None
    assert set(verdict.complaint.candidates) == {"Powick Bridge", "Powick Ridge"}
    assert judge(mail(), known=two).verdict is VerdictKind.ACCEPTED


def test_stranger_is_not_answered() -> None:
    verdict = judge(mail(sender="someone@else.example"))
    assert (reason(verdict), verdict.reply_to, verdict.verdict) == (
        "unknown_sender", None, VerdictKind.REJECTED)


ANNOUNCED = [
    {"season": season, "year": year, "type": kind, "opens": opens} for season, year, kind, opens in (
        ("Winter", 1645, "Adjustment", "2025-03-25T07:00:00Z"),
        ("Spring", 1645, "Movement", "2025-03-28T07:00:00Z"),
        ("Spring", 1645, "Retreat", "2025-04-10T07:00:00Z"),
        ("Autumn", 1645, "Movement", "2025-04-12T07:00:00Z"),
        ("Autumn", 1645, "Retreat", "2025-04-24T07:00:00Z"),
        ("Winter", 1646, "Adjustment", "2025-04-26T07:00:00Z"))]


@pytest.mark.parametrize(
    ("subject", "meant"),
    [
        ("Powick Bridge, Montrose, Spring 1645 Movement, v1", "Spring 1645 Movement"),
        ("Powick Bridge, Montrose, Winter '45 Adjustments, v1", "Winter 1645 Adjustment"),
        ("Powick Bridge, Montrose, Winter 1646 Adjustments, v1", "Winter 1646 Adjustment"),
        # Left out: the next one of its kind, and nothing that may be another.
        ("Powick Bridge, Montrose, Winter Orders, v1", "Winter 1645 Adjustment"),
        ("Powick Bridge, Montrose, Builds, v1", "Winter 1645 Adjustment"),
        ("Powick Bridge, Montrose, Spring Movement, v1", "Spring 1645 Movement"),
        ("Powick Bridge, Montrose, Autumn Movement, v1", None),
        ("Powick Bridge, Montrose, Movement, v1", None),
        ("Powick Bridge, Montrose, Spring Orders, v1", None),
        ("Powick Bridge, Montrose, Spring 1646 Movement, v1", None),
        ("Powick Bridge, Montrose, Winter 1645 Movement, v1", None),
    ],
)
def test_a_sheet_for_an_announced_phase_is_early(subject: str, meant: str | None) -> None:
    """PHA-02, Q-74; without the key the same subject is refused."""
    verdict = judge(mail(subject), known=games(announced=ANNOUNCED))
    assert (verdict.verdict is VerdictKind.ACCEPTED) is (meant is not None)
    assert ("early" in verdict.flags) is (meant is not None)
    if meant is not None:
        assert str(verdict.phase) == meant
    assert judge(mail(subject)).verdict is VerdictKind.REJECTED


def test_between_two_phases_the_kind_alone_means_the_announced_one() -> None:
    known = games(announced=ANNOUNCED)
    known = replace(known, games=tuple(replace(game, open_phase=None, deadline=None) for game in known.games))
    verdict = judge(mail("Powick Bridge, Montrose, Builds, v1"), known=known)
    assert (str(verdict.phase), "early" in verdict.flags) == ("Winter 1645 Adjustment", True)


@pytest.mark.parametrize("subject", [
    "Powick Bridge, Montrose, Autumn 1644 Retreats, v1", "Powick Bridge, Montrose, Autumn Retreats, v1",
    "Powick Bridge, Montrose, Retreats, v1", "Powick Bridge, Montrose, Autumn Orders, v1"])
def test_the_open_phase_goes_before_an_announced_one(subject: str) -> None:
    verdict = judge(mail(subject), known=games(announced=ANNOUNCED))
    assert (str(verdict.phase), "early" in verdict.flags) == ("Autumn 1644 Retreat", False)


def test_a_sheet_for_an_announced_phase_is_not_late() -> None:
    after = DEADLINE + timedelta(minutes=1)
    early = judge(mail("Powick Bridge, Montrose, Spring 1645 Movement, v1"), received_at=after,
                  known=games(announced=ANNOUNCED))
    assert (early.verdict, early.reason) == (VerdictKind.ACCEPTED, None)
    assert reason(judge(mail(), received_at=after, known=games(announced=ANNOUNCED))) == "late"


def test_among_early_sheets_the_version_and_the_first_count_by_phase() -> None:
    """Q-60: the first for that phase, whatever came for the open one."""
    known = games(announced=ANNOUNCED)
    known = replace(known, games=tuple(replace(game, first_counts=True) for game in known.games))
    spring = "Powick Bridge, Montrose, Spring 1645 Movement, v1"
    verdicts = judge_all(
        mail(parts=[part(picture(1))]), mail(spring, parts=[part(picture(2))]),
        mail(spring, parts=[part(picture(3))]), known=known)
    assert [("early" in verdict.flags, "not_first" in verdict.flags) for verdict in verdicts] == [
        (False, False), (True, False), (True, True)]


def test_nothing_open_is_a_wrong_phase() -> None:
    assert reason(judge(mail(), known=games(open_phase=None))) == "wrong_phase"


@pytest.mark.parametrize(("after", "expected"), [(-1, None), (0, None), (1, "late")])
def test_received_at_the_deadline_is_on_time(after: int, expected: str | None) -> None:
    raw = mail(headers=["Date: Thu, 1 Jan 1970 00:00:00 +0000"])
    assert reason(judge(raw, received_at=DEADLINE + timedelta(seconds=after))) == expected


def test_year_and_kind_may_come_from_the_open_phase() -> None:
    """SUBJ-06; SUBJ-03: "Orders" alone means the orders of the open phase."""
    verdict = judge(mail("Powick Bridge, Montrose, Autumn Orders, v1"))
    assert verdict.verdict is VerdictKind.ACCEPTED
    assert (verdict.year, verdict.phase_type) == (1644, "Retreat")
    assert verdict.flags == {"year_missing", "type_missing"}
    assert reason(judge(mail("Powick Bridge, Montrose, Spring Movement, v1"))) == "wrong_phase"


@pytest.mark.parametrize(
    "phase", ["Autumn 44 Retreats", "Autumn '44 Retreats", "A1644 Retreats", "F1644R", "Retreats"])
def test_a_phase_in_short_is_the_open_one(phase: str) -> None:
    """WRD-05: a year without its century, a judge's letters, and the kind alone where one phase is open."""
    verdict = judge(mail(f"Powick Bridge, Montrose, {phase}, second version"))
    assert verdict.verdict is VerdictKind.ACCEPTED, verdict.reason
    read = verdict.season, verdict.year, verdict.phase_type, verdict.version
    assert read == ("Autumn", 1644, "Retreat", 2)


@pytest.mark.parametrize("phase", ["Autumn 43 Retreats", "S1644M", "Adjustments"])
def test_a_phase_in_short_that_is_not_open_is_refused(phase: str) -> None:
    assert judge(mail(f"Powick Bridge, Montrose, {phase}, v1")).verdict is VerdictKind.REJECTED


def test_a_kind_of_orders_that_is_not_open_gets_no_season_of_the_open_phase() -> None:
    """Its sender is asked for the season, not told that the phase of another kind is over."""
    verdict = judge(mail("Powick Bridge, Montrose, Adjustments, v1"))
    assert reason(verdict) == "subject_unparsed"
    assert verdict.complaint is not None
    assert verdict.complaint.missing == ("season",)


def test_a_missing_game_is_inferred_only_where_the_setting_says_so_and_one_fits() -> None:
    subject = "Montrose, Autumn 1644 Retreats, v1"
    verdict = judge(mail(subject), known=context(infer_game=True))
    assert (verdict.game, verdict.flags) == ("Powick Bridge", frozenset({"game_missing"}))
    known = index()["context"]["games"]
    two_games = context(infer_game=True, games={**known, "Naseby": known["Powick Bridge"]})
    undecided = judge(mail(subject), known=two_games)
    assert reason(undecided) == "subject_unparsed"
    assert undecided.complaint is not None
    assert undecided.complaint.missing == ("game",)


def test_the_first_test_that_fails_names_the_reason() -> None:
    """Each step corrects the first fault of the step before, in the order of the rules."""
    late = DEADLINE + timedelta(days=1)
    nothing = [text()]
    assert (
        reason(judge(mail("x", from_lines=[], stamps=[], headers=["X-Autoreply: yes"]), received_at=late))
        == "auto_reply"
    )
    assert reason(judge(mail("x", from_lines=[], stamps=[]), received_at=late)) == "bad_from"
    assert reason(judge(mail("x", stamps=[]), received_at=late)) == "auth_failed"
    assert reason(judge(mail("x", parts=nothing), received_at=late)) == "subject_unparsed"
    wrong = "Nasby, Xanadu, Winter 1644 Retreats, v1"
    assert reason(judge(mail(wrong, parts=nothing), received_at=late)) == "unknown_game"
    wrong = wrong.replace("Nasby", "Powick Bridge")
    assert reason(judge(mail(wrong, parts=nothing), received_at=late)) == "unknown_power"
    wrong = wrong.replace("Xanadu", "Argyll")
    assert reason(judge(mail(wrong, parts=nothing), received_at=late)) == "sender_not_power"
    wrong = wrong.replace("Argyll", "Montrose")
    assert reason(judge(mail(wrong, parts=nothing), received_at=late)) == "phase_type_mismatch"
    wrong = wrong.replace("Winter", "Summer")
    assert reason(judge(mail(wrong, parts=nothing), received_at=late)) == "wrong_phase"
    right = wrong.replace("Summer", "Autumn")
    assert reason(judge(mail(right, parts=nothing), received_at=late)) == "late"
    assert reason(judge(mail(right, parts=nothing))) == "no_photo"
    assert reason(judge(mail(right))) is None


def test_strict_games_want_the_first_orders_by_post() -> None:
    movement = {"season": "Autumn", "year": 1644, "type": "Movement"}
    raw = mail("Powick Bridge, Montrose, Autumn 1644 Movement, v1")
    assert reason(judge(raw, known=games(open_phase=movement, post_first=True))) == "first_by_post"
    assert judge(raw, known=games(open_phase=movement, post_first=True, posted=["Montrose"])).reason is None
    assert judge(raw, known=games(open_phase=movement)).reason is None
    assert judge(mail(), known=games(post_first=True)).reason is None


def sheet_mail(shade: int, version: str = ", v1", sender: str = MONTROSE) -> bytes:
    return mail(
        f"Powick Bridge, Montrose, Autumn 1644 Retreats{version}", sender, parts=[part(picture(shade))]
    )


def test_same_sender_fields_and_photographs_are_a_duplicate_whatever_else_differs() -> None:
    """SUB-12."""
    # Another Message-ID, other words and another file name: the photograph's bytes and the fields are the
    # same.
    again = mail(
        "RE: powick bridge - MONTROSE - Fall, 1644 - Retreat Orders - V.1",
        headers=["Message-ID: <another@mailbox.example>", "Date: x"],
        parts=[text("other words"), part(picture(1), "application/octet-stream", "other.bin", "inline")],
    )
    first, second, third = judge_all(sheet_mail(1), again, sheet_mail(2))
    assert first.verdict is VerdictKind.ACCEPTED
    assert (second.verdict, second.reason, second.duplicate_of, second.reply_to) == (
        VerdictKind.IGNORED,
        RefusalReason.DUPLICATE,
        "0",
        None,
    )
    assert third.verdict is VerdictKind.ACCEPTED


def test_message_id_alone_is_never_enough() -> None:
    """SUB-12: another photograph under the same Message-ID is not the same message, and is not lost."""
    # Fault 9: a Message-ID may be missing or reused, so it is never a key.
    same = ["Message-ID: <one@mailbox.example>"]
    verdicts = judge_all(mail(headers=same), mail(headers=same, parts=[part(picture(7))]))
    assert [verdict.verdict for verdict in verdicts] == [VerdictKind.ACCEPTED, VerdictKind.ACCEPTED]
    assert verdicts[1].flags == {"version_conflict"}


def test_a_late_copy_of_a_mail_taken_in_time_is_a_duplicate_and_not_late() -> None:
    read = read_mail(sheet_mail(1), own_probe())
    remembered = as_earlier_mail("first", read, IN_TIME, judge(sheet_mail(1)))
    assert remembered is not None
    late = DEADLINE + timedelta(hours=1)
    assert reason(judge(sheet_mail(1), received_at=late, earlier=[remembered])) == "duplicate"


def test_a_mail_refused_once_is_no_duplicate_when_its_reason_has_passed() -> None:
    # The first mail came before its phase was open.
    closed = games(open_phase=None)
    refused = judge(sheet_mail(1), known=closed)
    remembered = as_earlier_mail("first", read_mail(sheet_mail(1), own_probe()), IN_TIME, refused)
    assert refused.reason is RefusalReason.WRONG_PHASE
    assert remembered is not None
    assert judge(sheet_mail(1), earlier=[remembered]).verdict is VerdictKind.ACCEPTED
    assert reason(judge(sheet_mail(1), earlier=[remembered], known=closed)) == "duplicate"


def test_a_forgery_does_not_make_the_players_own_mail_a_duplicate() -> None:
    # Without a stamp it is not authenticated, so it is not remembered.
    forged = mail(stamps=[])
    verdicts = judge_all(forged, mail())
    assert [verdict.verdict for verdict in verdicts] == [VerdictKind.REJECTED, VerdictKind.ACCEPTED]


@pytest.mark.parametrize(
    ("raw", "is_remembered"),
    [
        (mail(), True),
        (mail("my orders"), True),
        (mail(stamps=[]), False),
        (mail(from_lines=[]), False),
        (mail(headers=["X-Autoreply: yes"]), False),
    ],
)
def test_only_authenticated_mail_is_remembered(raw: bytes, is_remembered: bool) -> None:
    remembered = as_earlier_mail("x", read_mail(raw, own_probe()), IN_TIME, judge(raw))
    # Else a forged copy, sent first, would make the player's own mail a repeat.
    assert (remembered is not None) == is_remembered


def test_an_unreadable_subject_delivered_twice_is_answered_once() -> None:
    verdicts = judge_all(mail("my orders"), mail("Re: My  orders"), mail("other orders"))
    assert [reason(verdict) for verdict in verdicts] == ["subject_unparsed", "duplicate", "subject_unparsed"]


def test_versions_on_file() -> None:
    versions = (", v3", ", v2", ", v3", "", ", v4 final")
    verdicts = judge_all(*(sheet_mail(shade, version) for shade, version in enumerate(versions, start=1)))
    assert all(verdict.verdict is VerdictKind.ACCEPTED for verdict in verdicts)
    assert [sorted(verdict.flags) for verdict in verdicts] == [
        [],
        ["superseded"],
        ["version_conflict"],
        ["superseded", "version_missing"],
        ["trailing_text"],
    ]
    assert [verdict.before and verdict.before.version for verdict in verdicts] == [None, 3, 3, 3, 3]
    assert [verdict.version for verdict in verdicts] == [3, 2, 3, None, 4]
    assert verdicts[4].trailing == "final"


def test_versions_of_other_papers_are_counted_apart() -> None:
    known = index()["context"]["games"]
    shared = {**known["Edgehill"], "players": {**known["Edgehill"]["players"], "Montrose": [MONTROSE]}}
    two_games = context(games={**known, "Edgehill": shared})
    verdicts = judge_all(
        sheet_mail(1, ", v3"),
        mail("Edgehill, Montrose, Spring 1643 Movement, v1", parts=[part(picture(1))]),
        mail(
            "Powick Bridge, Argyll, Autumn 1644 Retreats, v1",
            "acampbell@post.example",
            parts=[part(picture(1))],
        ),
        known=two_games,
    )
    assert [(verdict.verdict, verdict.flags) for verdict in verdicts] == [
        (VerdictKind.ACCEPTED, frozenset())
    ] * 3


def test_rejected_versions_are_not_on_file() -> None:
    verdicts = judge_all(mail(SUBJECT.replace("v1", "v9"), parts=[text()]), sheet_mail(1, ", v2"))
    assert verdicts[1].flags == frozenset()


OURS = "<results.7@w3k.example>"
RESULTS = "Powick Bridge - Montrose - Autumn 1644 - Final Results"


@pytest.mark.parametrize(("letter", "sender", "expected"), [
    ({"to": MONTROSE, "power": "Montrose"}, MONTROSE, (None, "Montrose", "Autumn", 1644, "Retreat", 1)),
    # The player holds one seat there.
    ({"to": MONTROSE, "power": None}, MONTROSE, (None, "Montrose", "Autumn", 1644, "Retreat", 1)),
    # Another player's letter, and a letter to an address that is no one's there.
    ({"to": MONTROSE, "power": "Montrose"}, "acampbell@post.example",
     ("subject_unparsed", "Montrose", "Autumn", 1644, None, None)),
    ({"to": "left@mailbox.example", "power": "Montrose"}, MONTROSE,
     ("subject_unparsed", "Montrose", "Autumn", 1644, None, None)),
])
def test_a_mail_may_answer_a_letter_of_the_context(
    letter: dict[str, Any], sender: str, expected: tuple[object, ...]
) -> None:
    """PHA-05: the optional key `letters` of the contract."""
    known = context(letters={OURS: {"game": "Powick Bridge", "subject": RESULTS, **letter}})
    raw = mail(f"Re: {RESULTS}", sender, headers=[f"In-Reply-To: {OURS}"])
    verdict = judge(raw, known=known)
    assert (reason(verdict), verdict.power, verdict.season, verdict.year, verdict.phase_type,
            verdict.version) == expected
    assert reason(judge(raw)) == "subject_unparsed", "without the key as before"


def test_the_letter_names_the_game_before_any_other_fits() -> None:
    """PHA-05: without the letter the player's other game, whose open phase is named, would be meant."""
    known = index()["context"]["games"]
    shared = {**known["Edgehill"], "players": {**known["Edgehill"]["players"], "Montrose": [MONTROSE]}}
    letters = {OURS: {"to": MONTROSE, "game": "Powick Bridge", "power": "Montrose", "subject": RESULTS}}
    raw = mail("Montrose, Spring 1643 Movement, v1", headers=[f"References: {OURS}"])
    games_known = {**known, "Edgehill": shared}
    assert judge(raw, known=context(games=games_known, infer_game=True)).game == "Edgehill"
    verdict = judge(raw, known=context(games=games_known, infer_game=True, letters=letters))
    assert (verdict.game, reason(verdict)) == ("Powick Bridge", "wrong_phase")


def test_bounce_is_tied_to_the_outgoing_mail_by_the_returned_copy() -> None:
    status = (b"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nAction: "
              b"delayed\r\nStatus: 4.4.1\r\n")
    copy = (b"Content-Type: message/rfc822\r\n\r\nMessage-ID: <results.1@w3k.example>\r\nSubject: "
            b"x\r\n\r\nbody\r\n")
    body = multipart([text(), status, copy], "multipart/report; report-type=delivery-status")
    verdict = judge(mail("Undelivered", "MAILER-DAEMON@relay.example", body=body, stamps=[]))
    assert (verdict.verdict, reason(verdict)) == (VerdictKind.IGNORED, "bounce")
    assert verdict.report is not None
    assert verdict.report.message_id == "<results.1@w3k.example>"
    assert (verdict.report.outcome, verdict.report.status_code) == ("delayed", "4.4.1")


def test_read_receipt() -> None:
    notice = (
        b"Content-Type: message/disposition-notification\r\n\r\n"
        b"Original-Message-ID: <receipt.7@w3k.example>\r\nDisposition: manual-action; displayed\r\n"
    )
    body = multipart([text(), notice], "multipart/report; report-type=disposition-notification")
    verdict = judge(mail("Read: Powick Bridge", body=body))
    assert reason(verdict) == "receipt"
    assert verdict.report is not None
    assert verdict.report.message_id == "<receipt.7@w3k.example>"


def test_a_report_about_one_of_our_mails_is_a_bounce_before_it_is_an_auto_reply() -> None:
    body = multipart([text()], "multipart/report; report-type=delivery-status")
    raw = mail(
        "Undelivered", "MAILER-DAEMON@relay.example", body=body, headers=["Auto-Submitted: auto-replied"]
    )
    assert reason(judge(raw)) == "bounce"


@pytest.mark.parametrize("value", [None, [], {}, {"games": []}, {"games": {"X": {}}}, "text", 7])
def test_a_context_of_another_shape_is_our_own_fault(value: Any) -> None:
    with pytest.raises(ContextError, match=r"format of docs/contract\.md"):
        context_from_json(value)


@pytest.mark.parametrize("text", ["2027-03-14T07:00", "2027-03-14T08:00+01:00", " 2027-03-14T07:00:00Z "])
def test_an_instant_without_a_zone_is_utc_and_one_with_a_zone_is_brought_there(text: str) -> None:
    moment = instant(text)
    assert (moment, moment.tzinfo) == (datetime(2027, 3, 14, 7, tzinfo=UTC), UTC)


def test_a_rule_that_sends_on_what_cannot_count_is_not_answered() -> None:
    """ARR-05: two rules that answer each other would never end."""
    forwarded = ["Auto-Submitted: auto-forwarded"]
    raw = mail("Powick Bridge, Montrose, Spring 1650 Movement, v1", headers=forwarded)
    verdict = judge(raw)
    assert (verdict.verdict, reason(verdict), verdict.reply_to) == (VerdictKind.IGNORED, "auto_reply", None)
    # A person took it back: it is refused for what it lacks.
    assert judge(raw, taken_back=True).verdict is VerdictKind.REJECTED
    assert reason(judge(mail(headers=forwarded, parts=[text()]))) == "auto_reply"
    assert judge(mail(headers=forwarded)).verdict is VerdictKind.ACCEPTED
