"""How the boards were drawn from their sources. Run by hand; nothing imports it when the program runs."""
