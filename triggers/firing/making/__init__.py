"""Firings come to be, in the transaction that stores the message they are about."""
