"""What every package may use and nothing of ours stands beneath: no models."""
