"""Commands for an operator at the hub's machine."""
