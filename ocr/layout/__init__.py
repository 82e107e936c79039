"""Boxes of writing to rows in reading order, and rows to lines.

Door: `lines.row_strips`, `columns.find_lane`, `row_ends.is_cut_off`, `legibility.required_trust`,
`wrap.join_wrapped`.

- `lines`: boxes to rows; boxes that hold two rows parted.
- `columns`, `column_extents`: lanes between columns, lists that begin alike, how wide a column is.
- `close_columns`: columns that were found as one, parted where lines begin.
- `row_ends`: ink past a row's ends, and rows that lose letters at an edge.
- `legibility`: whether what was found is writing at all.
- `wrap`: rows that continue on the next row.
"""
