"""How far each reader has read each topic, and what it was offered."""
