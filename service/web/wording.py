"""Words of the pages that are not written in a template: times, waits, sizes, and the machine's reasons as
sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

REASONS = {
    "bad_from": "its sender's address cannot be read",
    "auth_failed": "its sender could not be proved",
    "subject_unparsed": "its subject has no form that is known",
    "unknown_game": "its subject names no game that runs here",
    "ambiguous_game": "its subject fits several games",
    "unknown_power": "its subject names no power of the game",
    "ambiguous_power": "its subject fits several powers",
    "sender_not_power": "its sender does not command this power",
    "unknown_sender": "nobody is registered with its sender's address",
    "phase_type_mismatch": "its kind of orders fits no open phase",
    "wrong_phase": "its season fits no open phase",
    "encrypted": "it is encrypted",
    "too_large": "it is too large",
    "bad_image": "its picture cannot be opened",
    "no_photo": "it has no picture",
    "first_by_post": "the first orders must come by post",
    "too_dark": "the photograph is too dark",
    "blurred": "the photograph is blurred",
    "cut_off": "the sheet is cut off",
    "truncated": "the picture file is cut short",
    "blank": "no writing was found on the sheet",
    "not_a_sheet": "no sheet was found in the photograph",
    "not_an_image": "the file is no picture",
    "heading_disagrees": "the sheet's heading and the mail's subject disagree",
    "only_changes": "the sheet gives only changes to an earlier one",
    "version_conflict": "the same version number came before with other ink, and the later one counts",
    "version_disagrees": ("the sheet asks for another version number than the subject, and the subject's "
                          "counts"),
    "choice_ended": "it was chosen by hand, and a later paper that came in time ended that choice",
    "reader_failed": "the machine failed to read it",
    "could_not_be_handled": "the machine failed to handle it",
}
_ENDS = (
    ("used", "used"), ("refused", "refused with an answer"), ("quarantined", "in quarantine"),
    ("ignored", "ignored as machine mail"), ("stored", "not judged yet"),
)
_LETTERS = (
    ("sent", "sent"),
    ("queued", "waiting"),
    ("sending", "being sent"),
    ("failed", "failed"),
    ("held", "held"),
)


def gmt(at: datetime, now: datetime | None = None) -> str:
    """Sun 14 Mar 2027, 07:00 GMT; without the year while `now` is in the same one."""
    year = "" if now is not None and now.year == at.year else " %Y"
    return at.strftime(f"%a %-d %b{year}, %H:%M GMT")


def wait(left: timedelta) -> str:
    """A time to go in its two largest units: "3 days 4 hours", "12 minutes"; "now" when it is over."""
    minutes = int(left.total_seconds() // 60)
    if minutes < 1:
        return "now"
    units = ((minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute"))
    named = [count(number, unit) for number, unit in units if number]
    return " ".join(named[:2])


def count(number: int, thing: str) -> str:
    """1 line, 2 lines."""
    return f"{number} {thing}" + ("" if number == 1 else "s")


def size(number: int) -> str:
    """Bytes as kB or MB."""
    return f"{number / 1e6:.1f} MB" if number >= 1_000_000 else f"{max(1, round(number / 1000))} kB"


def reason(code: str | None) -> str:
    """Why a mail or a paper is set aside, as half a sentence. A code without one is shown in plain
    letters."""
    return REASONS.get(code or "", (code or "no reason was kept").replace("_", " "))


def reasons(codes: Sequence[str]) -> str:
    """The reasons among the flags of a paper; flags that are no reason are left out."""
    return "; ".join(REASONS[code] for code in codes if code in REASONS) or "it waits for the coordinator"


def listed(names: Sequence[str]) -> str:
    """Ormond, Argyll and Montrose."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def mails(numbers: dict[str, int]) -> str:
    """12 used, 1 refused with an answer, 2 in quarantine."""
    return ", ".join(f"{numbers[key]} {word}" for key, word in _ENDS if numbers.get(key))


def letters(numbers: dict[str, int]) -> str:
    """17 sent, 2 waiting, 1 failed."""
    return ", ".join(f"{numbers[key]} {word}" for key, word in _LETTERS if numbers.get(key))


FILTERS: dict[str, Callable[..., Any]] = {
    "gmt": gmt, "wait": wait, "count": count, "size": size, "reason": reason, "reasons": reasons,
    "listed": listed,
    "mails": mails, "letters": letters,
}
