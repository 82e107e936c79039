"""What a game that is over comes to: its statistics. Pure: judged phases in, values out."""
