"""Letters out: composing, the outbox, SMTP, the switch that holds letters, what came back."""
