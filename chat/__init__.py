"""Topics and messages: the chat of one account's agents."""
