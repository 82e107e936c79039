"""How Sphinx makes a site of these pages; `tools/documents` runs it."""

project = "Galloper"
copyright = "The authors of Galloper"  # noqa: A001 - Sphinx reads this name
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["extra/**"]
html_extra_path = ["extra"]
html_theme = "furo"
html_title = "Galloper"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# Where a page links to a heading of another, the heading's own words make the anchor, as on a forge.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Pages show shells, TOML and JSON with "..." in it; what no lexer takes is shown plain.
suppress_warnings = ["misc.highlighting_failure"]
pygments_style = "friendly"
