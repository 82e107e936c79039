"""Jinja2 templates of letters, pictures and the desk; a package only so that its folder can be found."""
