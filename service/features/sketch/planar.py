"""Which borders of a board can be drawn on one sheet, and the faces that lie between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx

Border = tuple[str, str]
"""Two provinces between which some unit may move, in the order of their ids."""


@dataclass(frozen=True, slots=True)
class FlatBoard:
    """A board laid flat. `faces` are the walks around what lies between borders, each a tuple of provinces; a
    province may occur twice in a walk. `left_out` are borders that would cross others."""

    provinces: tuple[str, ...]
    borders: tuple[Border, ...]
    faces: tuple[tuple[str, ...], ...]
    left_out: tuple[Border, ...]


class Scattered(Exception):
    """The board falls into parts without a way between them: `parts`, each a tuple of provinces."""

    def __init__(self, parts: Sequence[tuple[str, ...]]) -> None:
        self.parts = tuple(parts)
        super().__init__(f"the board falls into {len(parts)} parts")


def lay_flat(provinces: Iterable[str], borders: Sequence[Border]) -> FlatBoard:
    """The board without crossings. Where not all `borders` can be drawn, those that are first are stored, as
    many as can be. Raises Scattered.
    """
    whole = _graph(provinces, borders)
    parts = [tuple(sorted(part)) for part in nx.connected_components(whole)]
    if len(parts) > 1:
        raise Scattered(sorted(parts, key=len, reverse=True))
    left_out: list[Border] = []
    if not nx.check_planarity(whole)[0]:
        whole = _graph(whole.nodes, ())
        for border in borders:
            whole.add_edge(*border)
            if not nx.check_planarity(whole)[0]:
                whole.remove_edge(*border)
                left_out.append(border)
        # A border that is left out may have been the only way to a province.
        parts = [tuple(sorted(part)) for part in nx.connected_components(whole)]
        if len(parts) > 1:
            raise Scattered(sorted(parts, key=len, reverse=True))
    _, embedding = nx.check_planarity(whole)
    walked: set[tuple[str, str]] = set()
    faces = [
        tuple(embedding.traverse_face(start, end, mark_half_edges=walked))
        for start, end in sorted(embedding.edges) if (start, end) not in walked
    ]
    drawn = tuple(border for border in borders if border not in set(left_out))
    return FlatBoard(tuple(sorted(whole.nodes)), drawn, tuple(faces), tuple(left_out))


def _graph(provinces: Iterable[str], borders: Iterable[Border]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(sorted(provinces))
    graph.add_edges_from(borders)
    return graph
