"""The owner's push servers: which there are, how they are reached, and what of them is let in."""
