"""The launcher's line to the hub: one WebSocket a launch, over which both tell each other what changed."""
