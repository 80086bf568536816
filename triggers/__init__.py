"""Push inbox and rules: what the owner's MCP servers push is kept, seen, and acted on as he decided."""
