"""What executes a run: one file a kind, behind one registry."""
