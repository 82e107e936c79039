"""A file to a flat, evenly lit sheet, and how good the photograph is.

Door: `open_image.open_images`, `find_sheet.find_sheets`, `illumination.even_light` and `without_rules`,
`quality.measure`.

- `open_image`: bytes to upright RGB pages, or the reason there are none.
- `outline`, `split_sheets`, `find_sheet`: sheets of paper in a photograph, two that touch, flattened.
- `writing_outside`: writing where no sheet was found.
- `illumination`: light evened, printed rules removed; percentiles of large pictures.
- `geometry`: homographies, crops, boxes.
- `quality`: brightness, focus, contrast; why a photograph cannot be read.
"""
