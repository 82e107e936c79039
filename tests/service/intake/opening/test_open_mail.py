"""BOX-05: what the child that reads mails does to us, and what we believe of its answer."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from service.intake.opening import sandbox
from service.intake.opening.open_mail import WHOLE, ChildBodies
from service.intake.opening.sandbox import ChildFault
from service.mail.body.form import (
    BodyRequest,
    FormError,
    answer_requests,
    dump_bodies,
    dump_requests,
    load_bodies,
)
from service.mail.body.read import BodyNeed, MailBody, MailFile, read_body
from service.mail.reports import DeliveryReport, Evidence, Outcome, ReportKind
from tests.support.mail_bombs import HEAD, open_tags
from tests.support.mail_builder import FIXTURES, mail
from tests.support.opening import children_of

BODY = MailBody(
    files=(MailFile("sheet é.jpg", b"\xff\xd8\xff\n"), MailFile("", b"")), encrypted=True, overflow=True,
    report=DeliveryReport(ReportKind.BOUNCE, ("<a@b.example>",), Outcome.FAILED, "5.1.1", ("c@d.example",),
                          Evidence.SERVER),
    bold=("Army Kent holds",), text="Dear all,\nhello", has_files=True,
)  # fmt: skip


def test_bodies_cross_the_pipe_unchanged() -> None:
    assert load_bodies(dump_bodies([BODY, MailBody(), BODY]), 3) == [BODY, MailBody(), BODY]
    raws = [path.read_bytes() for path in sorted(FIXTURES.glob("*.eml"))[:6]]
    form = answer_requests(dump_requests([BodyRequest(raw, BodyNeed.WHOLE) for raw in raws]))
    assert load_bodies(form, len(raws)) == [read_body(raw) for raw in raws]


HEADS = json.loads(dump_bodies([BODY]).partition(b"\n")[0])
CHANGES = [
    {"files": [["a", -1]]}, {"files": [["a", 10**12]]}, {"files": [[1, 0]]}, {"files": "a"}, {"files": None},
    {"files": [["a", True, 2]]}, {"bold": [1]}, {"bold": None}, {"text": 7}, {"report": {"kind": "order"}},
    {"report": {"kind": "bounce", "power": "Kent"}}, {"report": {"message_ids": [3]}}, {"report": []},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_an_answer_that_is_none_is_refused(change: dict[str, object]) -> None:
    contents = b"".join(file.content for file in BODY.files)
    assert load_bodies(json.dumps(HEADS).encode() + b"\n" + contents, 1) == [BODY]
    with pytest.raises(FormError):
        load_bodies(json.dumps([HEADS[0] | change]).encode() + b"\n" + contents, 1)
    with pytest.raises(FormError):
        load_bodies(json.dumps(HEADS).encode() + b"\n" + contents, 2)
    with pytest.raises(FormError):
        load_bodies(json.dumps(HEADS).encode() + b"\n" + contents + b"!", 1)


@given(st.binary(max_size=80) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["files", "encrypted", "overflow", "report", "bold", "text", "has_files"]), inner, max_size=7),
    max_leaves=12).map(lambda value: json.dumps(value).encode() + b"\n"))
def test_whatever_a_child_writes_is_bodies_or_refused(form: bytes) -> None:
    try:
        bodies = load_bodies(form, 1)
    except FormError:
        return
    assert [type(body) for body in bodies] == [MailBody]


def taken_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """Have children run `script` instead of our code, as a mail could that found a fault in the parser."""
    (tmp_path / "sitecustomize.py").write_text(
        "import ctypes, os, sys, time\n"
        "if 'service.intake.opening.sandbox_child' in sys.orig_argv:\n"
        "    from service.mail.body import form\n"
        f"    form.answer_requests = lambda data: ({script}, os._exit(0))\n")
    usual = sandbox._environment()
    monkeypatch.setattr(sandbox, "_environment", lambda: usual | {"PYTHONPATH": f"{tmp_path}:{sandbox.ROOT}"})


@pytest.mark.parametrize("answer", ["[]", "[[]]", "x" * 100, "", '{"verdict": "accepted"}'])
def test_a_child_that_prints_garbage_is_not_believed(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_over(monkeypatch, tmp_path, f"os.write(1, {answer.encode()!r})")
    assert ChildBodies().read(mail(), BodyNeed.WHOLE) is None


def test_a_child_that_crashes_is_the_mails_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_over(monkeypatch, tmp_path, "ctypes.string_at(0)")
    assert ChildBodies().read(mail(), BodyNeed.WHOLE) is None


def test_a_child_that_hangs_is_ended_and_says_nothing_of_its_mail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_over(monkeypatch, tmp_path, "time.sleep(600)")
    with pytest.raises(ChildFault, match=r"not over after 0\.5 s"):
        ChildBodies(whole=replace(WHOLE, wall_seconds=0.5)).read(mail(), BodyNeed.WHOLE)


def test_a_child_that_somebody_kills_says_nothing_of_its_mail() -> None:
    """kill -9, as a kernel without memory does."""
    outcomes: list[object] = []

    def read() -> None:
        try:
            outcomes.append(ChildBodies().read(HEAD + open_tags(110_000), BodyNeed.WHOLE))
        except ChildFault as fault:
            outcomes.append(str(fault))

    # A child may end by itself between the look for it and the signal.
    while "the child that opens files was ended from outside by SIGKILL" not in outcomes:
        assert len(outcomes) < 20
        thread = threading.Thread(target=read)
        thread.start()
        while thread.is_alive():
            with suppress(FileNotFoundError, ProcessLookupError):
                for child in children():
                    os.kill(child, signal.SIGKILL)
            thread.join(0.01)
    assert all(isinstance(outcome, MailBody) for outcome in outcomes[:-1])


def children() -> list[int]:
    """The forks of our opener that read mails."""
    return [fork for opener in children_of(os.getpid()) for fork in children_of(opener)
            if b"sandbox_child\0mails" in Path(f"/proc/{fork}/cmdline").read_bytes()]


def test_a_machine_that_can_start_no_child_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ChildFault, match="no child that opens files can be started"):
        ChildBodies().read(mail(), BodyNeed.WHOLE)


def test_a_mail_that_outgrows_its_memory_is_left() -> None:
    tight = ChildBodies(whole=replace(WHOLE, memory=150_000_000))
    big = b"Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + (
        b"words and words=20and more words\r\n" * 400_000)
    assert tight.read(HEAD + big, BodyNeed.WHOLE) is None
    assert tight.read(mail(), BodyNeed.WHOLE) is not None
