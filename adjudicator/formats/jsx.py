"""XML of Java objects as JSX 2 writes it, which jDip saves its games in: a graph of objects, there and back.

An object has an id, and is a reference wherever it comes again. Safe for files from anywhere: no entity, no
document type, limits on size and number; nothing is made but the plain values below.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

from adjudicator.formats.game_log import FormatFault

MAX_UNPACKED = 32_000_000
MAX_ELEMENTS = 1_000_000
DEEPEST = 20_000
"""Elements in one another; provinces lead to provinces, and a map is some hundreds deep."""
_TITLE = "<!-- XML of Java objects in the form of JSX 2, for jDip -->\n"
_OPEN, _CLOSE = "<jsx major='1' minor='1' format='JSX.DataReader'>", "</jsx>"


# Writing
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Primitive:
    """A number or truth value with its Java type."""

    type: str
    value: str


@dataclass(eq=False, slots=True)
class JavaObject:
    """An object: for each class from the uppermost down, its fields by name, and the values it writes itself.

    Equal only to itself, so that a second mention is a reference. Fields may be added after it was made.
    """

    parts: list[tuple[str, dict[str, Any], list[Any]]]

    @property
    def name(self) -> str:
        return self.parts[-1][0]


@dataclass(eq=False, slots=True)
class JavaArray:
    """An array of one class."""

    base: str
    items: Sequence[Any]


@dataclass(eq=False, slots=True)
class JavaList:
    """A java.util.ArrayList."""

    items: Sequence[Any]


def plain_object(name: str, /, **fields: Any) -> JavaObject:
    """An object of a class without a superclass."""
    return JavaObject([(name, fields, [])])


def integer(value: int) -> Primitive:
    """An int."""
    return Primitive("int", str(value))


def truth(value: bool) -> Primitive:
    """A boolean."""
    return Primitive("boolean", "true" if value else "false")


def hash_map(pairs: Sequence[tuple[Any, Any]]) -> JavaObject:
    """A java.util.HashMap."""
    buckets = 16
    while buckets * 3 < len(pairs) * 4:
        buckets *= 2
    flat: list[Any] = [integer(buckets), integer(len(pairs))]
    for key, value in pairs:
        flat += [key, value]
    fields = {"threshold": integer(buckets * 3 // 4), "loadFactor": Primitive("float", "0.75")}
    return JavaObject([("java.util.AbstractMap", {}, []), ("java.util.HashMap", fields, flat)])


def sorted_map(pairs: Sequence[tuple[Any, Any]]) -> JavaObject:
    """A synchronized java.util.TreeMap; the pairs are in its order."""
    flat: list[Any] = [integer(len(pairs))]
    for key, value in pairs:
        flat += [key, value]
    tree = JavaObject([
        ("java.util.AbstractMap", {}, []), ("java.util.TreeMap", {"comparator": None}, flat)])  # fmt: skip
    outer = JavaObject(
        [
            ("java.util.Collections$SynchronizedMap", {"m": tree}, []),
            ("java.util.Collections$SynchronizedSortedMap", {"sm": tree}, []),
        ]
    )
    outer.parts[0][1]["mutex"] = outer
    return outer


def to_xml(root: JavaObject) -> str:
    """The whole graph as text."""
    lines: list[str] = [_TITLE, _OPEN]
    ids: dict[int, str] = {}
    count = 0
    # A separate stack: provinces lead to provinces hundreds deep.
    stack: list[str | tuple[str, Any]] = [_CLOSE, ("", root)]
    while stack:
        step = stack.pop()
        if isinstance(step, str):
            lines.append(step)
            continue
        name, value = step
        mark = f" field='{name}'" if name else ""
        if value is None:
            lines.append(f"<null{mark}/>")
        elif isinstance(value, Primitive):
            lines.append(f"<primitive{mark} type='{value.type}' value='{value.value}'/>")
        elif id(value) in ids and not isinstance(value, str):
            lines.append(f"<reference{mark} idref='{ids[id(value)]}'/>")
        else:
            mark += f" id='i{count}'"
            if isinstance(value, str):
                lines.append(f"<string{mark} value='{_quoted(value)}'/>")
            else:
                ids[id(value)] = f"i{count}"
                stack += reversed(list(_steps(mark, value)))
            count += 1
    return "".join(lines)


def _quoted(text: str) -> str:
    return escape(text, {"'": "&apos;", '"': "&quot;"})


def _steps(mark: str, value: Any) -> Iterator[str | tuple[str, Any]]:
    if isinstance(value, JavaArray):
        yield f"<array{mark} base='{value.base}' dim='1' length='{len(value.items)}'>"
        yield from (("", item) for item in value.items)
        yield "</array>"
    elif isinstance(value, JavaList):
        yield f"<collection{mark} class='java.util.ArrayList'>"
        yield from (("", item) for item in value.items)
        yield "</collection>"
    else:
        above = "".join(f"{name}," for name, _, _ in reversed(value.parts[:-1]))
        yield f"<object{mark} class='{value.name}' superclasses='{above}'>"
        for name, fields, entries in value.parts:
            yield f"<declaredClass class='{name}'><default>"
            yield from fields.items()
            yield "</default>"
            yield from (("", item) for item in entries)
            yield "</declaredClass>"
        yield "</object>"


# Reading
# ----------------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Node:
    """One element that was read: its tag, its attributes, and the elements in it."""

    tag: str
    attributes: dict[str, str]
    inner: list[Node] = field(default_factory=list)


class Graph:
    """A graph that was read. Every question that has no answer raises FormatFault."""

    def __init__(self, root: Node, ids: dict[str, Node]) -> None:
        self.root, self._ids = root, ids

    def resolve(self, node: Node) -> Node:
        """The element itself, or the one that a reference means."""
        if node.tag != "reference":
            return node
        meant = self._ids.get(node.attributes.get("idref", ""))
        if meant is None:
            raise FormatFault("An object of the file refers to one that is not there; the file was not read.")
        return meant

    def field(self, node: Node, *names: str) -> Node:
        """The value of a field, and of a field of that, and so on."""
        for name in names:
            node = self.resolve(node)
            inner = (value for part in node.inner for default in part.inner[:1] for value in default.inner)
            value = next((value for value in inner if value.attributes.get("field") == name), None)
            if value is None:
                raise FormatFault(f"There is no field {name} where jDip has one; the file was not read.")
            node = self.resolve(value)
        return node

    def text(self, node: Node, *names: str) -> str:
        """The text or number in a field; "" for null."""
        return self.field(node, *names).attributes.get("value", "")

    def items(self, node: Node) -> list[Node]:
        """The things in an array or list."""
        return [self.resolve(item) for item in node.inner]

    def pairs(self, node: Node) -> list[tuple[Node, Node]]:
        """The keys and values of a map."""
        entries = [
            item for item in (node.inner[-1].inner[1:] if node.inner else []) if item.tag != "primitive"
        ]
        return [
            (self.resolve(key), self.resolve(value))
            for key, value in zip(entries[::2], entries[1::2], strict=False)
        ]


class _Refused(Exception):
    """What a saved game never has."""


def from_xml(data: bytes) -> Graph:
    """The graph in a file, packed or not. Raises FormatFault."""
    text = _unpacked(data)
    parser = expat.ParserCreate()
    root = Node("", {})
    open_nodes, ids = [root], dict[str, Node]()
    numbers = iter(range(MAX_ELEMENTS))

    def start(name: str, attributes: dict[str, str]) -> None:
        if next(numbers, None) is None or len(open_nodes) > DEEPEST:
            raise _Refused
        node = Node(name, attributes)
        open_nodes[-1].inner.append(node)
        open_nodes.append(node)
        ids.setdefault(attributes.get("id", ""), node)

    def refuse(*_: object) -> None:
        raise _Refused

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_nodes.pop()
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise FormatFault(
            f"Line {error.lineno} is not valid XML ({expat.ErrorString(error.code)}); a game of jDip "
            f"was not read."
        ) from None
    except (_Refused, LookupError, ValueError):
        raise FormatFault(
            "The file declares entities, or is larger than any game of jDip; it was not read."
        ) from None
    if not root.inner or root.inner[0].tag != "jsx" or not root.inner[0].inner:
        raise FormatFault("The file is not a saved game of jDip: it does not begin with <jsx>.")
    return Graph(root.inner[0].inner[0], ids)


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        text = data
    else:
        try:
            text = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MAX_UNPACKED + 1)
        except zlib.error as error:
            raise FormatFault(f"The file cannot be unpacked ({error}); it was not read.") from None
    if len(text) > MAX_UNPACKED:
        raise FormatFault(
            f"The file has more than {MAX_UNPACKED:,} bytes, and no game of jDip has; it was not read."
        )
    return text
