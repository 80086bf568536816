"""`tertulia doctor`: what it finds of each piece, and what it says mends it."""
