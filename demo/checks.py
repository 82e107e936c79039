"""What the demo proves, counted in the database and in the letters of the outbox folder."""

from __future__ import annotations

import email
import email.policy
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.message import EmailMessage

import pypdfium2
from PIL import Image
from sqlalchemy import select

from adjudicator.outcome import Outcome
from adjudicator.serialize import codec
from adjudicator.units import Unit
from demo.story import ExpectedOutcome, Story
from grammar.print import canonical
from maps.variant import Variant
from reading.status import LineState
from service.bootstrap import Site
from service.games.phases import phase_of
from service.games.results import dislodged_text
from service.store import records
from service.store.letter_parts import finished
from service.store.tables import (
    GameRow,
    LineRow,
    MailRow,
    OutboxRow,
    PageRow,
    PhaseRow,
    ReviewRow,
    SubmissionRow,
)

# A letter with fewer characters has nothing to its reader: the shortest real one has some 200.
_SHORTEST_LETTER = 40

_WORDS = {"succeeds": "succeed", "fails": "fail", "void": "are void"}


@dataclass(slots=True)
class Findings:
    """What was checked, counted by kind of check, and a sentence for everything that was wrong.

    `differences`: sentences about results other than those worked out by hand. `opened` states by digest
    whether an attachment opens: ten players get the same pictures, and each picture is opened once.
    """

    checked: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    opened: dict[str, bool] = field(default_factory=dict)

    def expect(self, check: str, passed: bool, fault: str) -> None:
        """Count one check; keep the sentence if it failed."""
        self.checked[check] += 1
        if not passed:
            self.faults.append(fault)

    def expect_result(self, check: str, passed: bool, difference: str) -> None:
        """Count one check of a result that follows from how the lines were read."""
        self.checked[check] += 1
        if not passed:
            self.differences.append(difference)

    def opens(self, data: bytes, kind: str) -> bool:
        """True if an attachment of that MIME type opens."""
        key = hashlib.sha256(data).hexdigest()
        if key not in self.opened:
            self.opened[key] = _opens(data, kind)
        return self.opened[key]

    def report(self, say: Callable[[str], None], seconds: float, *, by_hand: bool = False) -> int:
        """Say what was proved; the program's exit code.

        `by_hand`: a visitor read the doubtful lines, and may have read them otherwise than their writers
        meant; then the results differ too, and that is not a fault of the program.
        """
        say("Checked: " + ", ".join(f"{check} ({count})" for check, count in self.checked.items()) + ".")
        if by_hand and self.differences:
            say("You read a line differently from its writer's meaning, so the game went another way:")
            for difference in self.differences:
                say(f"OTHERWISE: {difference}")
        else:
            self.faults.extend(self.differences)
        for fault in self.faults:
            say(f"WRONG: {fault}")
        verdict = f"{len(self.faults)} faults" if self.faults else "All as it should be"
        say(f"{verdict}, in {seconds:.1f} s.")
        return 1 if self.faults else 0


def check_phase(findings: Findings, site: Site, story: Story, phase: str, phase_id: int) -> list[str]:
    """Compare one judged phase with what was worked out by hand; sentences about it for the screen."""
    with site.store() as session:
        row = session.get_one(PhaseRow, phase_id)
        variant = site.load(session.get_one(GameRow, row.game_id).variant)
        resolution = codec.load_resolution(row.resolution or {})
    judged = {
        (outcome.order.power, canonical(outcome.order, variant.board)):
            ExpectedOutcome(outcome.result.value, outcome.reason or "")
        for outcome in resolution.outcomes
    }
    letters = sorted(variant.kinds, key=len, reverse=True)
    kinds = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, letters))}) ")
    for power, orders in story.expected.get(phase, {}).items():
        for order, expected in orders.items():
            # An order leaves out a kind that its ink leaves in doubt, and is as valid (INK-10).
            outcome = judged.get((power, order)) or judged.get((power, kinds.sub("", order)))
            findings.expect_result(
                "orders judged as by hand", _agrees(outcome, expected),
                f"{phase}, {power}: {order} should be {' '.join(expected)}, and is {outcome}")
    for power, units in story.positions.get(phase, {}).items():
        after = {_text(variant, unit) for unit in resolution.position.units if unit.power == power}
        findings.expect_result("positions", after == set(units),
                               f"after {phase} {power} should have {sorted(units)}, and has {sorted(after)}")
    dislodged = [f"dislodged: {dislodged_text(variant, unit)}" for unit in resolution.dislodged]
    return [_summary(resolution.outcomes), *dislodged]


def _agrees(outcome: ExpectedOutcome | None, expected: ExpectedOutcome) -> bool:
    # An empty reason in `expected.toml` leaves the reason open: most moves that succeed have none.
    return (outcome is not None and outcome.result == expected.result
            and expected.reason in {"", outcome.reason})


def _text(variant: Variant, unit: Unit) -> str:
    return f"{unit.kind} {variant.board.region_text(unit.region)}"


def _summary(outcomes: Iterable[Outcome]) -> str:
    counts = Counter(str(outcome.reason or outcome.result) for outcome in outcomes)
    shares = (f"{count} {_WORDS.get(word, word.replace('_', ' '))}" for word, count in counts.most_common())
    return f"the turn is judged, {counts.total()} orders: {', '.join(shares)}"


def check_site(findings: Findings, site: Site, story: Story) -> None:
    """Check the whole site: mails, receipts, lines, and every letter with its attachments and secrets."""
    with site.store() as session:
        mails = list(session.scalars(select(MailRow)))
        letters = list(session.scalars(select(OutboxRow).order_by(OutboxRow.id)))
        lines = list(session.scalars(select(LineRow)))
        submissions = list(session.scalars(select(SubmissionRow)))
        counting = set(session.scalars(
            select(PageRow.id).join(SubmissionRow, SubmissionRow.id == PageRow.submission_id)
            .where(SubmissionRow.fate == "counts")))
        decided = set(session.scalars(select(ReviewRow.line_id)))
        titles = {
            phase.id: str(phase_of(phase))
            for game in records.games(session) for phase in records.phases(session, game.id)
        }
    # 1. Every mail was judged, whatever came of it, and its bytes are stored for the record.
    for mail in mails:
        name = mail.sha256[:12]
        findings.expect("mails fully processed", mail.state != "stored", f"mail {name} was not processed")
        findings.expect("mails stored completely", site.blobs.has(mail.sha256), f"mail {name} is not stored")
    # 2. Every submission was answered once: a late, doubled or missing receipt shows here.
    receipts = [row for row in letters if row.kind == "receipt"]
    findings.expect("receipts", len(receipts) == len(submissions),
                    f"{len(submissions)} submissions and {len(receipts)} receipts")
    findings.checked["receipts"] = len(receipts)
    # 3. Something was read from the ink at all.
    findings.expect("lines read", len(lines) > 0, "no line was read")
    findings.checked["lines accepted automatically"] = sum(line.status == "auto" for line in lines)
    findings.checked["lines read"] = len(lines)
    # A demo in which the reader is sure of everything hides what a coordinator does. Every doubtful line of a
    # sheet that counts was decided by a person; nothing is decided that was not in doubt.
    doubtful = {line.id for line in lines if line.status == LineState.OPEN and line.page_id in counting}
    findings.expect("lines in doubt", bool(doubtful), "no line was in doubt, so no person had to decide one")
    findings.checked["lines in doubt"] = len(doubtful)
    for line_id in doubtful:
        findings.expect("lines in doubt decided", line_id in decided, f"line {line_id} is in doubt still")
    # 4. Every letter left, states something, opens, and keeps what is secret.
    for row in letters:
        findings.expect("letters sent", row.state == "sent", f"letter {row.id} ({row.kind}) is {row.state}")
        message = email.message_from_bytes(finished(site.blobs, row), policy=email.policy.default)
        title = titles.get(row.phase_id or 0, "")
        _check_letter(findings, row.kind, message, title)
        _check_secrets(findings, story, row.recipient, message, title)


def _check_secrets(
    findings: Findings, story: Story, recipient: str, message: EmailMessage, title: str
) -> None:
    power_of = {address: power for power, (_, address) in story.players.items()}
    for secret in story.secrets:
        # Addresses of no player, such as the coordinator's, may read the secret.
        if title not in secret.phases or power_of.get(recipient, secret.power) == secret.power:
            continue
        parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
        text = " ".join(" ".join([*map(str, message.values()), *parts]).split())
        leaked = [words for words in secret.words if words in text]
        findings.expect("secrets kept", not leaked,
                        f"a letter to {recipient} for {title} gives away {', '.join(leaked)}")


def _check_letter(findings: Findings, kind: str, message: EmailMessage, title: str) -> None:
    body = message.get_body(("plain",))
    findings.expect("letters with words", body is not None and len(body.get_content()) > _SHORTEST_LETTER,
                    f"a letter of kind {kind} for {title} has no words")
    for part in message.iter_attachments():
        payload = part.get_payload(decode=True)
        opens = isinstance(payload, bytes) and findings.opens(payload, part.get_content_type())
        name = part.get_filename()
        findings.expect("attachments that open", opens, f"{name} of a {kind} letter does not open")


def _opens(data: bytes, kind: str) -> bool:
    """True if a PDF has a page, a receipt's proof is an object, or a picture loads and carries no EXIF."""
    if kind == "application/json":
        return isinstance(json.loads(data), dict)
    if kind == "application/pdf":
        document = pypdfium2.PdfDocument(data)
        pages = len(document)
        document.close()
        return pages > 0
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        # A photograph's EXIF may hold the place where it was taken: a player's home.
        return not picture.getexif()
