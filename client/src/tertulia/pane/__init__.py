"""The chat on a whole terminal, by Textual: launches, topics, messages, and what their owner does about them.

Nothing that a hub or an agent says is ever taken for markup: it is made inert and shown as plain content.
"""
