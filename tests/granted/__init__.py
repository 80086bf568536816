"""The granted chat."""
