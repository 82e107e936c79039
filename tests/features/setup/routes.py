"""What the checks of the whole program have to know of this feature."""

IN_ENGLISH = {"features/setup/page.py": "an operator reads it"}
