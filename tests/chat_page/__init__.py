"""The page Chat and its WebSocket."""
