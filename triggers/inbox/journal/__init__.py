"""The journal of push messages, `channels.jsonl`: one JSON object a line, written and read back."""
