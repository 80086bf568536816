"""Admin lists of people, accounts, clients, connections, launches and tokens."""

from accounts.admin.clients import ApplicationAdmin, ConnectionAdmin
from accounts.admin.launches import LaunchAdmin, OwnerProofAdmin
from accounts.admin.people import AccountAdmin, UserAdmin
from accounts.admin.staff import StaffAdmin
from accounts.admin.tokens import (
    AccessTokenAdmin,
    DeviceGrantAdmin,
    GrantAdmin,
    IDTokenAdmin,
    RefreshTokenAdmin,
)

__all__ = [
    "AccessTokenAdmin",
    "AccountAdmin",
    "ApplicationAdmin",
    "ConnectionAdmin",
    "DeviceGrantAdmin",
    "GrantAdmin",
    "IDTokenAdmin",
    "LaunchAdmin",
    "OwnerProofAdmin",
    "RefreshTokenAdmin",
    "StaffAdmin",
    "UserAdmin",
]
