"""What may become of a try to send an announcement. Pure."""


class Refused(Exception):
    """It was not taken. `detail` is a plain sentence for the owner, without a secret; `for_good`: trying again helps nothing."""

    def __init__(self, detail: str, *, for_good: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.for_good = for_good
