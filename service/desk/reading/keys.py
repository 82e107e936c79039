"""Keys of the reading page: what each does, and what a person changed. Matched by character, not by
position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyAction:
    """One action with its key. `key` is the default, "Shift+u" for a capital; `fixed` keys cannot be
    changed. `words` describe the action in the list of keys."""

    name: str
    key: str
    words: str
    fixed: bool = False


# Matched by character: on an AZERTY or Dvorak keyboard a position would be another letter. Never a
# combination of the browser's own, such as Ctrl+T: other desks lost people's text that way (desk plan,
# "Keys").
ACTIONS = (
    KeyAction("accept", "Enter", "accept the highlighted reading and go to the next line", fixed=True),
    *(KeyAction(f"reading-{n}", str(n), "accept that reading and go to the next "
                                        "line", fixed=True) for n in range(1, 6)),
    KeyAction("up", "ArrowUp", "move the highlight", fixed=True),
    KeyAction("down", "ArrowDown", "move the highlight", fixed=True),
    KeyAction("edit", "e", "type the words of the line"), KeyAction("not-order", "o", "this is not an order"),
    KeyAction("void", "v", "void: cannot be read, or two readings equally good"),
    KeyAction("skip", "s", "skip for now; it comes back at the end"),
    KeyAction("second", "d", "send it to a second reader"),
    KeyAction("undo", "u", "undo your last decision and return to it (also Ctrl+Z)"),
    KeyAction("redo", "Shift+u", "redo what was undone"),
    KeyAction("next", "j", "next line without deciding"),
    KeyAction("previous", "k", "previous line without deciding"), KeyAction("next-sheet", "]", "next sheet"),
    KeyAction("previous-sheet", "[", "previous sheet"), KeyAction("page", "p", "the whole page"),
    KeyAction("why", "w", "why this line needs a decision"),
    KeyAction("raw", "z", "the raw picture"), KeyAction("zoom-in", "+", "larger"),
    KeyAction("zoom-out", "-", "smaller"), KeyAction("rotate", "r", "turn the picture"),
    KeyAction("join", "m", "merge with the next line"),
    KeyAction("break", "b", "break the line at the pointer, or at the mark that the arrows move"),
    KeyAction("accept-sure", "a", "accept all remaining sure lines of this sheet (shows them first)"),
    KeyAction("goto", "g", "go to a power or a line"),
    KeyAction("order", "l", "least sure lines first, or in the order of the page"),
    KeyAction("help", "?", "these keys; switch them off or change them"),
)
OFF = "off"
"""Entry of a key map that switches single keys off."""
_NEVER = frozenset(" <>&\"'")


def keys_of(changed: Mapping[str, object] | None) -> dict[str, str]:
    """The key of each action for a person with these changes. "off" is "yes" if single keys are switched
    off."""
    chosen = changed or {}
    keys = {a.name: a.key if a.fixed else str(chosen.get(a.name, a.key)) for a in ACTIONS}
    return keys | {OFF: "yes" if chosen.get(OFF) else ""}


def changes(form_values: Mapping[str, str]) -> dict[str, str]:
    """A person's changes, from the key of every action as the form sends it; defaults are left out.

    Raises ValueError with a sentence if two actions would have one key, or a key is not a single character.
    """
    keys = {
        a.name: _checked_key(form_values.get(a.name, a.key) or a.key) if not a.fixed else a.key
        for a in ACTIONS
    }
    taken: dict[str, str] = {}
    for name, key in keys.items():
        if key in taken:
            raise ValueError(f"“{key}” would have two actions. Nothing was changed.")
        taken[key] = name
    changed = {a.name: keys[a.name] for a in ACTIONS if keys[a.name] != a.key}
    return changed | ({OFF: "yes"} if form_values.get(OFF) else {})


def _checked_key(key: str) -> str:
    """A single character in lower case, or Shift and a letter."""
    shifted, letter = (
        key.lower().startswith("shift+"), key.split("+", 1)[1] if key.lower().startswith("shift+") else key,
    )
    if len(letter) != 1 or letter in _NEVER or not letter.isprintable() or (shifted and not letter.isalpha()):
        raise ValueError(f"“{key}” is not a single key. Nothing was changed.")
    return f"Shift+{letter.lower()}" if shifted else letter.lower()
