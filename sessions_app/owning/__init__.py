"""What owners decide and see on pages and in the admin."""
