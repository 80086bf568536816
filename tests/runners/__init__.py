"""What executes runs: commands, models, and the workers around them."""
