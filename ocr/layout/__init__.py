"""From a sheet to rows: columns, row starts, continuations, rows cut off at the edge."""
