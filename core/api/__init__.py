"""What every REST door shares: answers to refusals, input and lists by pydantic models, and how both are described."""
