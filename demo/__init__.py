"""The newcomer's turn: a mail server, a scripted coordinator, photographs."""
