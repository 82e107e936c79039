"""The page where a person reads lines, the same with forms only and with its script.

Parts: `forms` (plain forms), `api` (requests of the script), `acts` (what both do), `view` (one line as
shown), `candidates` (readings with their differences marked), `echo` (a correction offered again on the same
sheet), `shape` (lines joined, broken, cut again), `late` (a version that comes during the reading), `keys`
(keyboard). Nothing here states anything of the board (DESK-03).
"""
