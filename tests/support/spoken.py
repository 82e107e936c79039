"""What a screen reader says of a page: the transcript of Chromium's accessibility tree, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SILENT = frozenset({"none", "generic", "InlineTextBox", "StaticText", "LineBreak", "RootWebArea",
                     "LabelText", "ListMarker", "paragraph", "emphasis", "strong", "LayoutTable",
                     "LayoutTableRow"})
"""Roles that are not said: what they hold is."""
_STATES = ("level", "required", "invalid", "checked", "pressed", "expanded", "disabled", "focused", "current",
           "live", "busy", "hasPopup")
_NO_STATE = ("", "false", "off", False, None)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing that is said: a role, a name, states by their names. Words that stand in no control have the
    role "text". `depth`: how many landmarks, lists and groups it is in."""

    role: str
    name: str
    states: tuple[tuple[str, str], ...] = ()
    depth: int = 0
    value: str = ""

    def __str__(self) -> str:
        said = [self.role, f"“{self.name}”" if self.name else ""]
        said += [f"={self.value}"] if self.value else []
        said += [state if value == "true" else f"{state} {value}" for state, value in self.states]
        return "  " * self.depth + " ".join(filter(None, said))


def transcript(page: Any) -> list[Utterance]:
    """All that is said of the page that a Playwright tab shows."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    root = next(node for node in nodes if "parentId" not in node)
    return _joined(list(_said(root, by_id, 0, "")))


def _said(node: dict[str, Any], by_id: dict[str, Any], depth: int, named: str) -> Iterator[Utterance]:
    """`named`: the name of the control that the node is in, whose words are not said again."""
    role = str(node.get("role", {}).get("value", ""))
    name = " ".join(str(node.get("name", {}).get("value", "")).split())
    inner = depth
    if not node.get("ignored") and role == "StaticText":
        if name and name not in named:
            yield Utterance("text", name, (), depth)
        return
    if not node.get("ignored") and role not in _SILENT:
        states = tuple(
            (each["name"], str(value).lower()) for each in node.get("properties", ())
            if each["name"] in _STATES and (value := each.get("value", {}).get("value")) not in _NO_STATE)
        yield Utterance(role, name, states, depth, str(node.get("value", {}).get("value", "")))
        inner, named = depth + 1, name or named
    for child in node.get("childIds", ()):
        if child in by_id:
            yield from _said(by_id[child], by_id, inner, named)


def _joined(said: list[Utterance]) -> list[Utterance]:
    """Words next to each other, as one."""
    out: list[Utterance] = []
    for each in said:
        if each.role == "text" and out and out[-1].role == "text" and out[-1].depth == each.depth:
            out[-1] = Utterance("text", f"{out[-1].name} {each.name}", (), each.depth)
        else:
            out.append(each)
    return out
