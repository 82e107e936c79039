"""A photograph to rows of letters with scores. Ink and letters only: no order, no board, no game.

Door: `read.read` for a file, `read.read_images` for pictures already opened, `read_line.read_line` for one
box again. Both give the values of `page`.

- `page`: Photo, Reading, Page, ReadLine, Row and what they hold.
- `unreadable`: why a photograph gives no lines; without NumPy, for the child that opens files.
- `freed_memory`: memory that was freed, given back to the system.
- `engines`: recognisers and the row finder (ONNX networks, Tesseract).
- `image`: opening files, finding and flattening sheets, illumination, quality.
- `layout`: boxes to rows, rows to columns, rows cut off at an edge, rows that continue.
- `corrections`: crossed-out writing, words inserted above a row, carets, ink that nothing explains.
- `decoding`: CTC scores and the beam search inside an automaton that a caller brings.
- `provenance`: the processing steps that a reading carries.

Imports nothing of `grammar`, `maps` or `service`: a reading cannot depend on the position. Tuning values
are at the top of their module with unit, range and source. "Photographs" there are the 20 sample sheets
that developers have and the 106 photographs in `demo/data`; "by hand" means that no measurement is on record.
"""
