"""What the hooks of a granted launch's harness are told, and what they tell: whether it works or is done."""

from chat.hooks.answering import answer

__all__ = ["answer"]
