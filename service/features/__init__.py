"""Features: parts of the program that can be taken out, a folder each.

A folder has its pages, commands, letters, acts and tables, a README of ten lines, and in its `__init__` one
value, `FEATURE` (`service.feature.Feature`), by which the program finds it. Its templates are in
`templates/features/<name>`, its tests in `tests/features/<name>`. A feature may import the core; the core
imports no feature, and no feature imports another.
"""
