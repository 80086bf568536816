"""Browser sessions kept under the hash of their key: whoever reads the database, or a copy of it, signs in as nobody."""

import hashlib
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

KEPT_CHARACTERS = 40
"""As wide as the library's column: 160 bits of the hash."""


def kept_key(session_key: str) -> str:
    """What the database holds in place of a cookie's key; any text has one, so none is a database's error."""
    return hashlib.sha256(session_key.encode("utf-8", "surrogatepass")).hexdigest()[:KEPT_CHARACTERS]


class SessionStore(DatabaseStore):
    """Django's sessions in the database; `SESSION_ENGINE` names this module."""

    def _get_session_from_db(self) -> Any:
        return self._found(self._kept().first())

    async def _aget_session_from_db(self) -> Any:
        return self._found(await self._kept().afirst())

    def _kept(self) -> Any:
        return self.model.objects.filter(session_key=kept_key(self.session_key or ""), expire_date__gt=timezone.now())

    def _found(self, row: Any) -> Any:
        if row is None:
            self._session_key = None  # else a key that somebody else chose would be taken for a new session
        return row

    def exists(self, session_key: str) -> bool:
        """Whether a session of this key is kept."""
        return super().exists(kept_key(session_key))

    async def aexists(self, session_key: str) -> bool:
        """As `exists`."""
        return await super().aexists(kept_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        """The row to save, under the hash."""
        return self._hashed(super().create_model_instance(data))

    async def acreate_model_instance(self, data: dict[str, Any]) -> Any:
        """As `create_model_instance`."""
        return self._hashed(await super().acreate_model_instance(data))

    @staticmethod
    def _hashed(row: Any) -> Any:
        row.session_key = kept_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """End the session of this key, or this one."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(kept_key(key))

    async def adelete(self, session_key: str | None = None) -> None:
        """As `delete`."""
        key = session_key or self.session_key
        if key is not None:
            await super().adelete(kept_key(key))
