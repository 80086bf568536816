"""What hooks put before a model."""
