"""Whether a mail comes from the domain its From names.

`authenticate` is the one question; `Trust` states whose word counts, `Authentication` is the answer.
"""
