"""Which session somebody means, and which one is his own."""
