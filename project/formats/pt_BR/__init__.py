"""In Brazilian Portuguese."""
