"""The base of lists that are staff's alone."""

from django.db.models import QuerySet

from accounts.permissions import may_administer
from core.actor import Actor
from core.admin import ModelT, OwnedAdmin


class StaffAdmin(OwnedAdmin[ModelT]):
    """Every row to staff, nothing to anybody else; for models that belong to no account or to a library."""

    def may_view(self, actor: Actor) -> bool:
        """Staff."""
        return may_administer(actor)

    def rows(self, actor: Actor) -> QuerySet[ModelT]:
        """All, where the actor may see any."""
        rows = self.model._default_manager.all()
        return rows if self.may_view(actor) else rows.none()
