"""What templates of the chat need."""
