"""Template filters that every app may use."""
