"""How sheets are made for trying and measuring the reader: handwriting fonts to photographs with their truth.

A tool for developers, never imported at run time. `python -m training.sheets.compose --help` is the door.
"""
