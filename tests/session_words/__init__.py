"""What owners read of sessions in words and figures, and what they decide."""
