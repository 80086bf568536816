"""The page Launches, and its questions."""
