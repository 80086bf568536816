"""Sessions and what belongs to them in the admin."""
