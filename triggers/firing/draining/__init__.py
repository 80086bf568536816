"""What is queued is shown, asked or run; what a run's end means for its firing."""
