"""Boards from other programs' files: tables, jDip, DPjudge. Values in, tables out.

Doors: `tables.read`, `dpjudge.read` and `jdip.read`, each from a mapping of files, with faults in an
`ImportReport`; `board_files.board_files` turns a `draft.BoardDraft` into the files of our form. The command
`map import` opens and writes the files; nothing here does.
"""
