"""From a file to a flat, evenly lit sheet, and its quality."""
