"""What templates ask of sessions."""
