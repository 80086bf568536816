"""Commands of people and their connections."""
