"""Rules: their grammar, their engine, saving and trying them."""
