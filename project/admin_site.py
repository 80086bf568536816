"""The one admin site: owners work in it too and see their account, staff see all."""

from unfold.sites import UnfoldAdminSite


class HubAdminSite(UnfoldAdminSite):
    """unfold's site with our rights."""
