"""Whether a mention wakes an idle pane."""
