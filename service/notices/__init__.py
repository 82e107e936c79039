"""Who is told what, and when."""
