"""A sketch map of a board that brings no drawing, made of its tables alone (BEY-07).

Door: `sketch_board`. Provinces that are adjacent touch along a line, and no others do: the borders form a
graph, the graph is laid flat without crossings, and every province gets the land around its point. Borders
that cannot be laid flat are left out and named.

Parts: `planar` (which borders can be drawn, and the faces between them), `mesh` (triangles, each of one
province), `relax` (even sizes and round shapes), `outlines` (triangles to smooth shapes).
"""

from service.pictures.sketch.outlines import Sketch, sketch_board

__all__ = ["Sketch", "sketch_board"]
