"""What is new in the text of a letter, and what it quotes of earlier ones. Nothing is left out: a wrong guess
only moves lines from one part to the other."""

from __future__ import annotations

import re
from dataclasses import dataclass

# "On 4 Jul 2025, at 09:00, X wrote:" and its like in the languages of mail programs; it may take two lines.
_ATTRIBUTION = re.compile(r"(?:wrote|writes|schrieb|écrit|escribió|scritto|schreef|escreveu)\b.{0,80}:\s*$",
                          re.IGNORECASE)
_CUT = re.compile(r"-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine)",
                  re.IGNORECASE)
# Outlook quotes without any mark: a rule or nothing, and then the head of the earlier mail.
_HEAD = re.compile(r"\*?(?:From|Von|De)\*?:\s\*?\S")
_HEAD_BELOW = re.compile(r"\*?(?:Sent|Date|To|Subject|Gesendet|An|Betreff|Envoyé|Objet)\*?:\s")
_RULE = re.compile(r"[_-]{10,}\s*$")
_FOOTER = re.compile(
    r"(?:sent (?:from|with|via) my |sent (?:from|with) (?:\w+ ){0,3}(?:mail|outlook|android)"
    r"|get outlook for |sent with proton|von meinem )", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LetterText:
    """The text of a letter: `new` words, and those `quoted` of earlier mails."""

    new: str
    quoted: str

    @property
    def has_words(self) -> bool:
        """Whether a person wrote anything: a signature and the line that a program adds do not count."""
        above = re.split(r"(?m)^-- ?$", self.new)[0]
        lines = [line for line in above.splitlines() if not _FOOTER.match(line.strip())]
        return any(char.isalnum() for line in lines for char in line)


def split_quoted(text: str) -> LetterText:
    """The new lines of a text and the quoted ones, each in their order."""
    lines = text.splitlines()
    end = next((number for number in range(len(lines)) if _is_cut(lines, number)), len(lines))
    is_quoted = [line.lstrip().startswith(">") for line in lines[:end]]
    for number, line in enumerate(lines[:end]):
        if _ATTRIBUTION.search(line) and _quotes_below(lines, number + 1):
            is_quoted[number] = True
            # The line above, where the attribution was broken in two.
            above = number - 1
            if above >= 0 and re.match(r"\s*(?:on|am|le|el|il|op|em)\s", lines[above], re.IGNORECASE):
                is_quoted[above] = True
    new = [line for line, quoted in zip(lines[:end], is_quoted, strict=True) if not quoted]
    old = [line for line, quoted in zip(lines[:end], is_quoted, strict=True) if quoted] + lines[end:]
    return LetterText(_tidy(new), _tidy(old))


def _is_cut(lines: list[str], number: int) -> bool:
    """Whether everything from this line on is an earlier mail."""
    line = lines[number]
    if _CUT.match(line.strip()):
        return True
    below = [text for text in lines[number + 1:number + 5] if text.strip()]
    if _RULE.match(line):
        return bool(below) and _HEAD.match(below[0].strip()) is not None
    has_head = _HEAD.match(line.strip()) is not None
    return has_head and any(_HEAD_BELOW.match(text.strip()) for text in below[:2])


def _quotes_below(lines: list[str], number: int) -> bool:
    """Whether the next line with text is quoted, or there is none: HTML quotations are not in the text."""
    below = next((line for line in lines[number:] if line.strip()), ">")
    return below.lstrip().startswith(">")


def _tidy(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()
