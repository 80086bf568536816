"""Who did what, through which door; append-only."""
