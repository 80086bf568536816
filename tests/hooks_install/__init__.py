"""`tertulia hooks`: what it puts into the configuration of a harness, and what it leaves alone."""
