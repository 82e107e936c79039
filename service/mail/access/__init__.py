"""How this site proves itself to a mail provider: passwords, OAuth tokens, the files that hold them."""
