"""What templates ask of the push inbox."""
