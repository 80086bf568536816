"""Who is mentioned, and where a post lies."""
