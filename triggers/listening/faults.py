"""Why listening to a server ended or a call to it failed. `reason` is one sentence for its owner."""


class Fault(Exception):
    """`reason` says what is wrong and, where he can, what the owner does."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Failed(Fault):
    """It may work the next time. `retry`: after how many seconds the server wants to be asked again."""

    def __init__(self, reason: str, *, retry: float | None = None) -> None:
        super().__init__(reason)
        self.retry = retry


class NotReady(Failed):
    """The connection does not stand yet."""


class SessionLost(Failed):
    """The server knows the session no more: a new one is begun."""


class Answered(Failed):
    """The server answered a call with an error; `code` is JSON-RPC's."""

    def __init__(self, reason: str, code: int) -> None:
        super().__init__(reason)
        self.code = code


class DoesNotPush(Fault):
    """The server is well, and has no stream to listen to."""


class SignInNeeded(Fault):
    """The server wants its owner to sign the hub in; `challenge` is the header in which it says how."""

    def __init__(self, reason: str, challenge: str = "") -> None:
        super().__init__(reason)
        self.challenge = challenge


class Ended(Fault):
    """The program of a stdio server ended; it is not started again by itself."""
