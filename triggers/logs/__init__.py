"""The log of each push server: what its listener said."""
