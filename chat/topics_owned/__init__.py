"""Topics that the owner creates and archives."""
