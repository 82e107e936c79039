"""What the demo proves: each thing counted in the database and in the letters that lie in the outbox
folder."""

from __future__ import annotations

import email
import email.policy
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.message import EmailMessage

from sqlalchemy import select

from adjudicator.serialize import codec
from adjudicator.units import Unit
from demo.story import Story
from grammar.print import canonical, region_text
from maps.variant import Variant
from service.bootstrap import Site
from service.games.phases import phase_of
from service.store import records
from service.store.tables import GameRow, LineRow, MailRow, OutboxRow, PhaseRow, SubmissionRow

_ENDS = {"accepted": {"used"}, "superseded": {"used"}, "quarantined": {"quarantined"},
         "rejected": {"refused", "quarantined", "used"}, "ignored": {"ignored"}}
"""Ends of a mail that agree with a fate. A photograph that is no sheet is filed first and refused by the
eye."""


@dataclass(slots=True)
class Findings:
    """What was checked and what was wrong."""

    checked: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    opened: dict[str, bool] = field(default_factory=dict)

    def expect(self, what: str, good: bool, fault: str) -> None:
        """Count one check; keep the sentence when it failed."""
        self.checked[what] += 1
        if not good:
            self.faults.append(fault)

    def opens(self, data: bytes, kind: str) -> bool:
        """Whether an attachment opens. Ten players are sent the same pictures; each picture is opened
        once."""
        key = hashlib.sha256(data).hexdigest()
        if key not in self.opened:
            self.opened[key] = _opens(data, kind)
        return self.opened[key]

    def report(self, say: Callable[[str], None], seconds: float) -> int:
        """Say what was proved; the program's exit code."""
        say("\nChecked: " + ", ".join(f"{n} {what}" for what, n in self.checked.items()) + ".")
        for fault in self.faults:
            say(f"WRONG: {fault}")
        say(f"{'All as it should be' if not self.faults else f'{len(self.faults)} faults'}, in "
            f"{seconds:.1f} s.")
        return 1 if self.faults else 0


def check_round(findings: Findings, site: Site, story: Story, round_: str, phase_id: int) -> list[str]:
    """Compare one judged phase with what was worked out by hand; sentences about it for the screen."""
    with site.store() as session:
        phase = session.get_one(PhaseRow, phase_id)
        variant = site.load(session.get_one(GameRow, phase.game_id).variant)
        resolution = codec.load_resolution(phase.resolution or {})
    got: dict[tuple[str, str], tuple[str, str]] = {}
    for one in resolution.outcomes:
        got[one.order.power, canonical(one.order, variant.board)] = (one.result.value, one.reason or "")
    for power, orders in story.expected.get(round_, {}).items():
        for text, wanted in orders.items():
            found = got.get((power, text))
            findings.expect("orders judged as by hand", found is not None and _same(found, wanted),
                            f"{round_}, {power}: {text} should be {' '.join(wanted)}, and is {found}")
    for power, units in story.positions.get(round_, {}).items():
        found_units = {_text(variant, u) for u in resolution.position.units if u.power == power}
        findings.expect("positions", found_units == set(units),
                        (f"after {round_} {power} should stand at {sorted(units)}, and stands at "
                         f"{sorted(found_units)}"))
    return [_summary(resolution.outcomes), *_moved(variant, resolution.dislodged)]


def _same(found: tuple[str, str], wanted: tuple[str, str]) -> bool:
    return found[0] == wanted[0] and wanted[1] in {"", found[1]}


def _text(variant: Variant, unit: Unit) -> str:
    return f"{unit.kind} {region_text(unit.region, variant.board)}"


def _summary(outcomes: Iterable[object]) -> str:
    counts = Counter(str(getattr(o, "reason", None) or getattr(o, "result", "")) for o in outcomes)
    return "judged: " + ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in counts.most_common())


def _moved(variant: Variant, dislodged: Iterable[object]) -> list[str]:
    from service.games.results import dislodged_text

    return [f"dislodged: {dislodged_text(variant, one)}" for one in dislodged]  # type: ignore[arg-type]


def check_whole(findings: Findings, site: Site, story: Story) -> None:
    """Every mail with its end, every letter with attachments that open, lines read from the ink, what is
    secret kept."""
    with site.store() as session:
        mails = list(session.scalars(select(MailRow)))
        letters = list(session.scalars(select(OutboxRow).order_by(OutboxRow.id)))
        lines = list(session.scalars(select(LineRow)))
        papers = list(session.scalars(select(SubmissionRow)))
        titles = {
            p.id: str(phase_of(p)) for g in records.games(session) for p in records.phases(session, g.id)
        }
    for mail in mails:
        findings.expect("mails with an end", mail.state != "stored", f"mail {mail.sha256[:12]} has no end")
        findings.expect("mails kept whole", site.blobs.has(mail.sha256), (f"mail {mail.sha256[:12]} is not "
                                                                          f"kept"))
    receipts = [row for row in letters if row.kind == "receipt"]
    findings.expect("count of receipts", len(receipts) == len(papers),
                    f"{len(papers)} papers and {len(receipts)} receipts")
    findings.checked["receipts"] = len(receipts)
    auto = sum(line.status == "auto" for line in lines)
    findings.expect("lines read", len(lines) > 0, "no line was read")
    findings.checked["lines taken without a look"] = auto
    findings.checked["lines read"] = len(lines)
    for row in letters:
        findings.expect("letters sent", row.state == "sent", f"letter {row.id} ({row.kind}) is {row.state}")
        message = email.message_from_bytes(site.blobs.read(row.message), policy=email.policy.default)
        title = titles.get(row.phase_id or 0, "")
        _check_letter(findings, row.kind, message, title)
        _check_secrets(findings, story, row.recipient, message, title)


def _check_secrets(
    findings: Findings, story: Story, recipient: str, message: EmailMessage, title: str
) -> None:
    players = {address: power for power, (_, address) in story.players.items()}
    for secret in story.secrets:
        if title not in secret.rounds or players.get(recipient, secret.power) == secret.power:
            continue
        parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
        said = " ".join(" ".join([*map(str, message.values()), *parts]).split())
        told = [words for words in secret.words if words in said]
        findings.expect("secrets kept", not told, (f"{recipient} is told of {', '.join(told)} in a letter "
                                                   f"for {title}"))


def _check_letter(findings: Findings, kind: str, message: EmailMessage, title: str) -> None:
    body = message.get_body(("plain",))
    findings.expect("letters with words", body is not None and len(body.get_content()) > 40,
                    f"a letter of kind {kind} for {title} has no words")
    for part in message.iter_attachments():
        payload = part.get_payload(decode=True)
        opens = isinstance(payload, bytes) and findings.opens(payload, part.get_content_type())
        findings.expect("attachments that open", opens, (f"{part.get_filename()} of a {kind} letter does not "
                                                         f"open"))


def _opens(data: bytes, kind: str) -> bool:
    from PIL import Image

    if kind == "application/pdf":
        import pypdfium2

        document = pypdfium2.PdfDocument(data)
        pages = len(document)
        document.close()
        return pages > 0
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        return not picture.getexif()
