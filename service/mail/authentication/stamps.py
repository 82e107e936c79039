"""One Authentication-Results header read by its grammar (RFC 8601, 2.2; RFC 5322, 3.2).

A stamp that breaks the grammar is marked, because "proves nothing" and "was never written" are not the same:
a sender may try to spoil our server's own stamp by an odd envelope address and write a better one below it.

Deviations of real servers that are taken: no authserv-id (Microsoft), properties without a ptype (Amazon SES,
Microsoft), a closing semicolon, no blank in front of a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.mail.headers import LONGEST_VALUE

_BLANK = " \t"
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_WORD = re.compile(r'[^\s()";=/.]+')
_SERVER = re.compile(r'[^\s()";=/]+')
_VALUE = re.compile(r'[^\s()";]+')
_KEYWORD = re.compile(r"[a-z0-9][a-z0-9_.-]*")
JUDGED = frozenset({"dmarc", "dkim", "spf"})
"""The methods whose results are weighed. What is under other names is passed over, odd or not."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    """One result of a stamp: method ("dkim"), result ("pass") and properties ("header.d"), names in lower
    case."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str | None:
        """A property's first value, or None."""
        return next((value for key, value in self.properties if key == name), None)


@dataclass(frozen=True, slots=True)
class Stamp:
    """One Authentication-Results header: who stamped it ("" where it names no one), and the results.

    `is_whole`: it keeps to the grammar. Otherwise nothing in it counts, and `results` is empty.
    """

    authserv_id: str
    results: tuple[MethodResult, ...]
    is_whole: bool = True


class _Malformed(Exception):
    """The header breaks the grammar at this place."""


def read_stamp(value: str) -> Stamp:
    """A header's value as a stamp. Never raises; time is linear in the length of `value`."""
    reader = _Reader(_FOLD.sub(" ", value))
    try:
        server = reader.server()
        reader.check()
        return Stamp(server, reader.results(is_named=bool(server)))
    except _Malformed:
        return Stamp(reader.named, (), is_whole=False)


class _Reader:
    """Reads one value from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.named = ""

    def check(self) -> None:
        """Refuse what no server writes, and what may have been cut off."""
        if len(self.text) >= LONGEST_VALUE or _CONTROL.search(self.text):
            raise _Malformed

    def server(self) -> str:
        """The authserv-id and its version (RFC 8601, 2.2); "" if the header begins with a result."""
        self._skip()
        start = self.place
        name = self._quoted() if self._next() == '"' else self._match(_SERVER)
        self._skip()
        if self._next() in {"=", "/"}:
            self.place = start
            return ""
        self.named = name.casefold()
        if self._next() not in {"", ";"}:
            # RFC 8601, 2.2: an unknown version is not to be read.
            if self._match(_SERVER) != "1":
                raise _Malformed
            self._skip()
        if self._next():
            self._take(";")
        return self.named

    def results(self, *, is_named: bool) -> tuple[MethodResult, ...]:
        """What follows the authserv-id."""
        results: list[MethodResult] = []
        says_none = False
        while True:
            self._skip()
            if not self._next():
                break
            if self._next() == ";":
                # Yahoo and SES close the last result with a semicolon too.
                self.place += 1
                continue
            result = self._result(is_named=is_named)
            if result is not None:
                results.append(result)
            elif is_named:
                says_none = True
            self._skip()
            if self._next():
                self._take(";")
        if says_none and results:
            raise _Malformed
        return tuple(results)

    def _result(self, *, is_named: bool) -> MethodResult | None:
        """One method with its result and properties; None for a word that is alone."""
        method = self._match(_WORD).casefold()
        while self._next() == ".":
            method += self._dot()
        self._skip()
        if self._next() in {"", ";"}:
            # "none" is alone (RFC 8601, 2.2). Microsoft's older form has the tenant's domain there.
            if is_named and method != "none":
                raise _Malformed
            return None
        if self._next() == "/":
            self._version()
        self._take("=")
        result = self._value().casefold()
        if method in JUDGED and not _KEYWORD.fullmatch(result):
            raise _Malformed
        return MethodResult(method, result, self._properties(method))

    def _properties(self, method: str) -> tuple[tuple[str, str], ...]:
        properties: list[tuple[str, str]] = []
        while True:
            before = self.place
            self._skip()
            if self._next() in {"", ";"}:
                break
            # "dmarc=pass(p=none)" is a comment behind the result; "dmarc=passheader.from=x" is nothing.
            if self.place == before:
                raise _Malformed
            name = self._match(_WORD).casefold()
            self._skip()
            while self._next() == ".":
                name += self._dot()
                self._skip()
            self._take("=")
            properties.append((name, self._value()))
        given = dict(properties)
        # Two values of header.from are two readings of one result.
        if method in JUDGED and any(given[name] != value for name, value in properties):
            raise _Malformed
        return tuple(properties)

    def _dot(self) -> str:
        self._take(".")
        self._skip()
        return "." + self._match(_WORD).casefold()

    def _version(self) -> None:
        self._take("/")
        self._skip()
        if self._match(_WORD) != "1":
            raise _Malformed
        self._skip()

    def _value(self) -> str:
        self._skip()
        if self._next() == '"':
            # RFC 8601, 2.2, pvalue: a quoted local part is followed by its domain.
            value = self._quoted()
            return value + self._match(_VALUE) if self._next() == "@" else value
        # A bounce has no envelope address: "smtp.mailfrom=;".
        value = "" if self._next() in {"", ";"} else self._match(_VALUE)
        if self._next() == '"':
            raise _Malformed
        return value

    def _next(self) -> str:
        return self.text[self.place : self.place + 1]

    def _take(self, mark: str) -> None:
        if self._next() != mark:
            raise _Malformed
        self.place += 1

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.place)
        if match is None:
            raise _Malformed
        self.place = match.end()
        return match.group()

    def _quoted(self) -> str:
        self._take('"')
        letters: list[str] = []
        while (letter := self._next()) != '"':
            if letter == "\\":
                self.place += 1
                letter = self._next()
            if not letter:
                raise _Malformed
            letters.append(letter)
            self.place += 1
        self.place += 1
        return "".join(letters)

    def _skip(self) -> None:
        """White space and comments."""
        while self._next() and self._next() in _BLANK + "(":
            if self._next() == "(":
                self._comment()
            else:
                self.place += 1

    def _comment(self) -> None:
        """A comment with those nested in it, by a count, because 100,000 brackets must not stop a mail."""
        depth = quotes = 0
        while letter := self._next():
            self.place += 1
            if letter == "\\":
                self.place += 1
            quotes += letter == '"'
            depth += (letter == "(") - (letter == ")")
            if not depth:
                break
        # A quote means nothing in a comment (RFC 5322, 3.2.2), so 'domain of "x) ; dmarc=pass
        # ("@evil.example' ends it early. Servers repeat the envelope there unread: a lone quote is an
        # attempt, not a remark.
        if depth or quotes % 2:
            raise _Malformed
