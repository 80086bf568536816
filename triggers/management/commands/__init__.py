"""Commands of push servers, push messages and rules."""
