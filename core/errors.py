"""Refusals as the person reads them: one sentence that says what to do next, and a code a program can match."""


class DomainError(Exception):
    """A refusal. `code` is stable; `detail` is the sentence; `status` is the HTTP status at the doors that have one.

    The sentence is in the language that is active where it is raised: a page's reader's, everywhere else English.

    `retry_after`: in how many seconds to try again, where that helps; doors put it into the header of that name.
    """

    code = "error"
    status = 400
    retry_after: int | None = None

    def __init__(self, detail: str, *, code: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.retry_after = retry_after or type(self).retry_after


class Invalid(DomainError):
    """The input is malformed, oversized or contradicts itself."""

    code = "invalid"


class Unauthenticated(DomainError):
    """Nobody we know."""

    code = "invalid_token"
    status = 401


class Forbidden(DomainError):
    """Known, but may not."""

    code = "forbidden"
    status = 403


class NotFound(DomainError):
    """Unknown or somebody else's: the two are never told apart."""

    code = "not_found"
    status = 404


class Conflict(DomainError):
    """Somebody was there first."""

    code = "conflict"
    status = 409


class Gone(DomainError):
    """It was, and has ended for good."""

    code = "gone"
    status = 410


class TooMany(DomainError):
    """A limit on how often is reached."""

    code = "rate_limited"
    status = 429
    retry_after = 60


class StorageFull(DomainError):
    """A limit on how much is reached."""

    code = "storage_full"
    status = 507


class Busy(DomainError):
    """The database stayed locked past its time; nothing was stored."""

    code = "busy"
    status = 503
    retry_after = 5
