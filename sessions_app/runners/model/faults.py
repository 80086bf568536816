"""What goes wrong with a model and its provider, in a sentence for the owner; never their own words."""

import openai
from pydantic_ai import exceptions

from core.errors import DomainError

MOST_REQUESTS = 30
CLOSED = "The provider's address could not be reached; check it, and that its server runs."
STRANGE = "The provider's answer could not be understood; see that its address is that of an OpenAI-compatible API."
CONFUSED = "The model called tools in a way that made no sense, more often than it may; try another model."
ENDLESS = f"The model asked for more than {MOST_REQUESTS} steps and was ended; make the task smaller."
TOO_LONG = "The conversation is longer than the model takes; begin the session anew."


def sentence(error: BaseException, model: str) -> str | None:
    """The sentence, or None for what has nothing to do with the provider."""
    match error:
        case DomainError():
            return error.detail
        case exceptions.UsageLimitExceeded():
            return ENDLESS
        case exceptions.ModelContextWindowExceededError():
            return TOO_LONG
        case exceptions.ModelHTTPError():
            return _of_status(error.status_code, model)
        case exceptions.ModelConnectionError() | exceptions.ModelRequestTimeout() | openai.APIConnectionError():
            return CLOSED
        case exceptions.ModelAPIError():
            cause = error.__cause__
            return _of_status(cause.status_code, model) if isinstance(cause, openai.APIStatusError) else STRANGE
        case openai.APIStatusError():
            return _of_status(error.status_code, model)
        case exceptions.UnexpectedModelBehavior():
            return CONFUSED if "retries" in str(error).lower() or "tool" in str(error).lower() else STRANGE
        case openai.OpenAIError() | ValueError():
            return STRANGE
        case _:
            return None


def _of_status(status: int, model: str) -> str:
    if status in {401, 403}:
        return f"The provider refused the key ({status}); give it a valid one."
    if status == 404:
        return f"The provider knows no model {model[:128]!r} (404), or its address is not right."
    if status == 429:
        return "The provider refused for now (429): too many requests, or the credit is used up; try again later."
    if 300 <= status < 400:
        return f"The provider sent the hub to another address ({status}); give that address itself."
    return f"The provider failed with status {status}; try again later."
