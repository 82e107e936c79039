"""Which sentences of a letter a coordinator may word, and with what words (BEY-07).

A coordinator changes sentences and no templates. So every fact stays where it was: each blank of a sentence
is in the new one too, values come in as they always did, and no wording can read or run anything.

What proves a letter (its digests, roots and the sentences that `galloper verify` looks for) keeps our words.
So does what happened on the board: it is stated alike in the letter and in its picture (OUT-13).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, nodes

from service.feature import templates_in
from service.letters.form import closings
from service.letters.language import LANGUAGES, OwnWording, language
from service.mail.sending.compose import one_line

LONGEST = 600
"""Most characters of a sentence. Our longest has some 300."""
_FEWEST_WORDS = 3
"""Words of a part of a sentence by which it is known."""
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Kinds of characters without a shape of their own (Unicode, general category)."""
_DIGEST = re.compile(r"(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{12,}", re.IGNORECASE)
_BLANK = re.compile(r"%\((\w+)\)s")
_FINE = "fine"
"""The block of small print, which proves the letter."""
_SUBJECT = "subject"
"""The block of the subject: mail programs sort by it, so it keeps our words."""
_OUTCOMES = ("_news.jinja", "_orders.jinja", "_units.jinja", "_holdings.jinja")
"""Events on the board."""


@dataclass(frozen=True, slots=True)
class LetterSentence:
    """One sentence of a letter that may be reworded: `message` is its key, our English words with named
    blanks; `ours` are our words in the language asked for; `in_all`: it is in every letter, as the
    greeting does."""

    message: str
    ours: str
    in_all: bool = False

    @property
    def blanks(self) -> tuple[str, ...]:
        """The names of its blanks, in order, each once."""
        return tuple(dict.fromkeys(_BLANK.findall(self.message)))


def as_option(wording: OwnWording) -> dict[str, dict[str, str]]:
    """The wording as a game's row keeps it: by language and message."""
    option: dict[str, dict[str, str]] = {}
    for code, message, words in wording.sentences:
        option.setdefault(code, {})[message] = words
    return option


def reworded(
    wording: OwnWording, code: str, sentences: Sequence[LetterSentence], words: Mapping[str, str]
) -> OwnWording:
    """The wording with these sentences of one language as in `words`, by message, and in ours where it has
    none."""
    messages = [sentence.message for sentence in sentences]
    others = [each for each in wording.sentences if each[0] != code or each[1] not in messages]
    new = [(code, message, words[message]) for message in messages if words.get(message)]
    return OwnWording(tuple(sorted([*others, *new])))


@cache
def sentences_of(kind: str, code: str) -> tuple[LetterSentence, ...]:
    """The sentences of a kind of letter that may be reworded, each once, in the order of the letter; those of
    every letter come last."""
    catalogue = language(code).catalogue
    locked = {message for file in _sources() for message, _ in _messages(file, locked=True)}
    of_all = dict(_messages("_letter.jinja"))
    sentences = (
        LetterSentence(message, catalogue.gettext(message) if plural is None else
                       catalogue.ngettext(*plural, 1 if message == plural[0] else 2),
                       message in of_all)
        for message, plural in dict(_messages(f"{kind}.jinja")).items() if message not in locked
    )
    return tuple(sorted(sentences, key=lambda sentence: sentence.in_all))


def fault_of(sentence: LetterSentence, words: str) -> str:
    """Why words cannot represent a sentence, or ""."""
    if len(words) > LONGEST:
        return f"It may have at most {LONGEST} characters."
    if words != one_line(words, LONGEST):
        return "It must be one line."
    if counterfeit := _counterfeit(sentence, words):
        return counterfeit
    missing = [name for name in sentence.blanks if f"%({name})s" not in words]
    rest = _BLANK.sub(lambda match: "" if match[1] in sentence.blanks else match[0], words)
    if missing:
        return f"It must contain {' and '.join(f'%({name})s' for name in missing)}: a fact would be missing."
    if "%" in rest:
        return "It has a % that is not one of the blanks of this sentence. Write per cent as a word."
    return ""


def _counterfeit(sentence: LetterSentence, words: str) -> str:
    """Why words may pass for a proof, or ""."""
    if any(unicodedata.category(letter) in _UNSEEN for letter in words):
        return "It has an invisible character, or one that reverses others."
    if _DIGEST.search(words):
        return "It has what looks like a digest, which proves a letter."
    folded, ours = _folded(words), _folded(sentence.ours)
    proof = next((each for each in _words_of_proof() if each in folded and each not in ours), "")
    return f"It has the words “{proof}”, which prove a letter. Use other words." if proof else ""


def own_words(sentences: Sequence[LetterSentence], written: Mapping[str, str]) -> dict[str, str]:
    """The coordinator's sentences, by message, as one line each and without what is our own."""
    lines = {sentence: one_line(written.get(sentence.message, ""), LONGEST + 1) for sentence in sentences}
    # Our own words, sent back unchanged, are ours.
    return {sentence.message: words for sentence, words in lines.items() if words not in {"", sentence.ours}}


def faults_of(sentences: Sequence[LetterSentence], words: Mapping[str, str]) -> dict[str, str]:
    """By message, why words cannot represent a sentence; empty if all can."""
    return {sentence.message: fault for sentence in sentences if sentence.message in words
            and (fault := fault_of(sentence, words[sentence.message]))}


def _folded(words: str) -> str:
    """Words as they are compared: without capitals, marks, and the forms of letters that look alike."""
    plain = unicodedata.normalize("NFKC", words).casefold()
    return " ".join(re.findall(r"\w+", plain))


@cache
def _words_of_proof() -> tuple[str, ...]:
    """The parts of the sentences that prove a letter, in every language, as `_folded`; the checkers know
    these sentences by them, and so does a reader."""
    fine = [block for source in _sources().values() for block in source.find_all(nodes.Block)
            if block.name == _FINE]
    messages = {message for block in fine for message, _ in _of_node(block, locked=True, inside=True)}
    said = {language(code).catalogue.gettext(message) for code in LANGUAGES for message in messages}
    parts = {_folded(part) for words in said for part in re.split(r"%\(\w+\)s", words)}
    return tuple(sorted(part for part in parts if len(part.split()) >= _FEWEST_WORDS))


# Which sentences a template states
# --------------------------------------------------------------------------------------------------


def _messages(file: str, *, locked: bool = False) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """The messages of a template and of those that it is made of, in order; with its pair, singular and
    plural, where a number chooses between two. With `locked` those alone that keep our words."""
    yield from _of_node(_sources()[file], locked=locked, inside=False)


def _of_node(
    node: nodes.Node, *, locked: bool, inside: bool
) -> Iterator[tuple[str, tuple[str, str] | None]]:
    if isinstance(node, nodes.Block) and node.name == _SUBJECT:
        return
    if isinstance(node, nodes.Block) and node.name == _FINE:
        inside = True
    for part in _parts_of(node):
        yield from _of_node(_sources()[part], locked=locked, inside=inside or part in _OUTCOMES)
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and locked == inside:
        words = [each.value for each in node.args if isinstance(each, nodes.Const)]
        match node.node.name:
            case "_":
                yield words[0], None
            case "ngettext":
                yield from ((message, (words[0], words[1])) for message in words[:2])
            case "season_words":
                yield from ((message, None) for message in closings())
    for child in node.iter_child_nodes():
        yield from _of_node(child, locked=locked, inside=inside)


def _parts_of(node: nodes.Node) -> Sequence[str]:
    """The templates that a node brings into its own, those of features in a slot among them."""
    match node:
        case nodes.Include(template=nodes.Name()):
            return ()  # inside a loop over `slot`
        case nodes.Include() | nodes.Extends():
            return _files_of(node.template)
        case nodes.Call(node=nodes.Name(name="slot"), args=[nodes.Const(value=str(slot))]):
            return [name.rpartition("/")[2] for name in templates_in(slot)]
    return ()


def _files_of(name: nodes.Node) -> Sequence[str]:
    """The templates that an expression can name; of one with a blank, all that begin as it does."""
    if isinstance(name, nodes.Const):
        return (str(name.value),)
    start = next(part.value for part in name.find_all(nodes.Const))
    return [file for file in _sources() if file.startswith(start)]


@cache
def _sources() -> Mapping[str, nodes.Template]:
    """Every template of a letter, parsed."""
    parser, templates = Environment(autoescape=True), files("templates")
    features = templates / "features"
    folders = [templates / "mail", *(features.iterdir() if features.is_dir() else ())]
    return {file.name: parser.parse(file.read_text(encoding="utf-8"))
            for folder in folders for file in sorted(folder.iterdir(), key=lambda each: each.name)
            if file.name.endswith(".jinja")}
