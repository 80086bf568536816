"""The chat pane, driven by Textual's pilot before a stub of the hub."""
