"""`tertulia doctor`: looks at every piece between an agent and the chat, and names the command that mends what is amiss."""
