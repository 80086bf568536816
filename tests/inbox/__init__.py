"""What waits for a reader, and what it has read."""
