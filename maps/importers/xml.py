"""XML as a small tree with line numbers, safe for files from anywhere.

A file may declare its elements (jDip's own files all do). It may not declare entities, and nothing outside it
is ever opened. That rules out the attacks that Python's manual lists for `xml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from maps.importers.draft import ImportReport
from maps.importers.source import SourceFiles, file_bytes

DEEPEST = 50


@dataclass(slots=True)
class Element:
    """One element: its name, attributes, the line its tag begins on, and the elements in it."""

    name: str
    attributes: Mapping[str, str]
    line: int
    inner: list[Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Element]:
        """The elements right inside this one that are called so."""
        return (element for element in self.inner if element.name == name)

    def first(self, name: str) -> Element | None:
        """The first of them."""
        return next(self.all(name), None)

    def get(self, name: str, default: str = "") -> str:
        """An attribute without blanks around it."""
        return self.attributes.get(name, default).strip()


class _Refused(Exception):
    """The file requests what is not done."""


def read(files: SourceFiles, name: str, report: ImportReport) -> Element | None:
    """The root of an XML file, or None with a fault that shows where it breaks off."""
    data = file_bytes(files, name, report)
    if data is None:
        return None
    parser = expat.ParserCreate()
    tree = _Tree(parser)
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.EntityDeclHandler = tree.entity
    parser.ExternalEntityRefHandler = tree.outside
    # "Billion laughs" and external entities: https://docs.python.org/3/library/xml.html, XML vulnerabilities.
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        report.fault(name, error.lineno, f"this is not valid XML: {expat.ErrorString(error.code)}")
        return None
    # expat raises these for an encoding that it cannot make a table of.
    except (LookupError, ValueError) as error:
        report.fault(name, parser.CurrentLineNumber, (f"its encoding is not known ({error}); save it as "
                                                      "UTF-8"))
        return None
    except _Refused as refused:
        report.fault(name, parser.CurrentLineNumber, str(refused))
        return None
    return tree.root


class _Tree:
    """The tree as it grows."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.root: Element | None = None
        self._parser = parser
        self._open: list[Element] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, attributes, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].inner.append(element)
        else:
            self.root = element
        self._open.append(element)
        if len(self._open) > DEEPEST:
            raise _Refused(f"more than {DEEPEST} nested elements, which no board needs")

    def end(self, _name: str) -> None:
        self._open.pop()

    def entity(self, name: str, *_rest: object) -> None:
        raise _Refused(f"the entity {name} is declared; boards are read without entities, so write its text "
                       "out")

    def outside(self, *_rest: object) -> int:
        raise _Refused("the file refers to another file; boards are read without outside files")
