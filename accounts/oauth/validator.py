"""What the authorization server decides about grants and tokens, beyond django-oauth-toolkit's own rules.

Every grant is bound to this hub, opens one `Connection`, and lives as long as that connection does: rotation keeps it,
real reuse of a refresh token, the client's own revocation and the owner's all end it through `accounts.actions`.
"""

import hashlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_refresh_token_model,
    refresh_token_expire_timedelta,
)
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.settings import oauth2_settings
from oauthlib.oauth2.rfc6749 import errors

from accounts import actions
from accounts.models import Account, Connection
from accounts.oauth.redirects import is_well_formed, place
from accounts.oauth.resources import denotes_hub
from accounts.throttle import Throttle
from core.actor import Actor, Door, system
from core.text import first_control_character

AUTHORIZATION_CODE = "authorization_code"
REFRESH_TOKEN = "refresh_token"  # noqa: S105 - the name of a grant type
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
GRANT_TYPES = (AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE)
LONGEST_CLIENT_ID = 255
REFRESHES = Throttle("refresh", limit=600, seconds=3600)
"""Of one connection. A spent refresh token is remembered as long as its reuse must be noticed, so each refresh leaves a row."""


def checksum(token: str) -> str:
    """How a token is stored and found."""
    return hashlib.sha256(token.encode()).hexdigest()


def bound_resource(asked: list[Any], request: Any = None) -> list[str]:
    """The resource a grant is bound to: always this hub; raises `invalid_target` when anything else is asked for."""
    for value in asked:
        if not denotes_hub(value, settings.TERTULIA_URL):
            raise errors.CustomOAuth2Error(
                error="invalid_target",
                description=f"This server issues tokens for {settings.TERTULIA_RESOURCE} only; ask for that resource.",
                request=request,
            )
    return [settings.TERTULIA_RESOURCE]


class HubValidator(OAuth2Validator):  # type: ignore[misc]
    """The library's validator with grants bound to the hub and to connections."""

    def _load_application(self, client_id: str | None, request: Any) -> Any:
        """The client of this id. One that no client can have is nobody's and not looked up: PostgreSQL fails on a NUL,
        which a Basic header may hold."""
        if client_id is None or len(client_id) > LONGEST_CLIENT_ID or first_control_character(client_id) is not None:
            return None
        return super()._load_application(client_id, request)

    # --- authorization ------------------------------------------------------------------------------------------------
    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Exact match but for the port of a loopback address; what cannot be parsed matches nothing."""
        return is_well_formed(redirect_uri) and request.client.redirect_uri_allowed(redirect_uri)

    def validate_response_type(
        self, client_id: str, response_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """A code is all there is to get."""
        if response_type != "code":
            raise errors.UnsupportedResponseTypeError(request=request)
        return bool(client.allows_grant_type(client.GRANT_AUTHORIZATION_CODE))

    def _create_authorization_code(self, request: Any, code: dict[str, str], expires: Any = None) -> Any:
        return get_grant_model().objects.create(
            application=request.client,
            user=request.user,
            code=code["code"],
            expires=timezone.now() + timedelta(seconds=oauth2_settings.AUTHORIZATION_CODE_EXPIRE_SECONDS),
            redirect_uri=request.redirect_uri,
            scope=" ".join(request.scopes),
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
            resource=bound_resource(getattr(request, "resource", None) or [], request),
        )

    # --- exchange of a code ---------------------------------------------------------------------------------------------
    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the code is this client's, unspent and fresh."""
        grant = get_grant_model().objects.select_related("user").filter(code=code, application=client).first()
        if grant is None or grant.is_expired() or not grant.user.is_active:
            return False
        request.grant = grant
        request.user = grant.user
        request.scopes = grant.scope.split()
        return True

    def get_code_challenge(self, code: str, request: Any) -> str | None:
        """Of the code found by `validate_code`."""
        return request.grant.code_challenge or None

    def get_code_challenge_method(self, code: str, request: Any) -> str | None:
        """Of the code found by `validate_code`."""
        return request.grant.code_challenge_method or None

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Byte for byte the address the code was sent to."""
        return bool(request.grant.redirect_uri == redirect_uri)

    def invalidate_authorization_code(self, client_id: str, code: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """Done already: the code went in the transaction that made the tokens."""

    def _claim_code(self, request: Any) -> str:
        """Spend the code; of two requests with one code the database lets one through."""
        deleted, _ = get_grant_model().objects.filter(pk=request.grant.pk).delete()
        if not deleted:
            raise errors.InvalidGrantError(request=request)
        return place(request.grant.redirect_uri)

    def _claim_device_code(self, request: Any) -> str:
        deleted, _ = (
            get_device_grant_model()
            .objects.filter(device_code=request._params["device_code"], client_id=request.client.client_id, status="authorized")
            .delete()
        )
        if not deleted:
            raise errors.InvalidGrantError(request=request)
        return ""

    # --- refresh ---------------------------------------------------------------------------------------------------------
    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether the token still speaks for a live connection of this client.

        A rotated token, of whatever generation, is taken for the grace period: several processes of one client share
        what is stored. After it, its use is theft and ends the connection.
        """
        held = (
            get_refresh_token_model()
            .objects.filter(token_checksum=checksum(refresh_token))
            .select_related("access_token", "user")
            .order_by("-pk")
            .first()
        )
        connection = None if held is None else Connection.objects.active().filter(token_family=held.token_family).first()
        if held is None or connection is None or not held.user.is_active:
            return False
        if held.revoked is not None and self._is_past_grace(held):
            actions.revoke_connection(
                system(Door.API, connection.account_id),
                connection_id=connection.pk,
                reason="a spent refresh token was used again",
            )
            return False
        if held.application_id != client.pk or (held.revoked is None and self._is_idle_too_long(held)):
            return False
        request.user = held.user
        request.refresh_token = refresh_token
        request.refresh_token_instance = held
        request.connection_scopes = connection.scopes
        return True

    def _is_past_grace(self, held: Any) -> bool:
        grace = timedelta(seconds=oauth2_settings.REFRESH_TOKEN_GRACE_PERIOD_SECONDS)
        return bool(held.revoked <= timezone.now() - grace)

    def _is_idle_too_long(self, held: Any) -> bool:
        lifetime = refresh_token_expire_timedelta()
        if held.access_token is None:
            return True
        return bool(lifetime and held.access_token.expires + lifetime <= timezone.now())

    def get_original_scopes(self, refresh_token: str, request: Any, *args: Any, **kwargs: Any) -> str:
        """What the owner granted (RFC 6749 §6), whatever a refresh in between asked for."""
        return str(request.connection_scopes)

    # --- tokens ----------------------------------------------------------------------------------------------------------
    def _check_and_set_request_resource(self, request: Any) -> None:
        asked = [value for key, value in request.decoded_body or [] if key == "resource" and value.strip()]
        request.resource = bound_resource(asked, request)

    def _save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Within the library's transaction: spend what the tokens are given for, make them, open the connection."""
        if request.grant_type == REFRESH_TOKEN:
            self._make_room_for_a_successor(request)
            super()._save_bearer_token(token, request, *args, **kwargs)
            return
        claim = {AUTHORIZATION_CODE: self._claim_code, DEVICE_CODE: self._claim_device_code}[request.grant_type]
        redirect_host = claim(request)
        super()._save_bearer_token(token, request, *args, **kwargs)
        self._open_connection(token, request, redirect_host)

    def _make_room_for_a_successor(self, request: Any) -> None:
        """Let one refresh token have several successors within the grace period.

        The library would answer the second refresh with the first one's tokens, which hashed storage does not hold, and
        fail. The lock on the connection puts refreshes of one family, and its revocation, one after the other.
        """
        held = request.refresh_token_instance
        live = Connection.objects.active().select_for_update().filter(token_family=held.token_family).first()
        if live is None:
            raise errors.InvalidGrantError(request=request)
        REFRESHES.check(live.pk)
        get_access_token_model().objects.filter(source_refresh_token=held).update(source_refresh_token=None)

    def _open_connection(self, token: dict[str, Any], request: Any, redirect_host: str) -> None:
        account = Account.objects.filter(owner=request.user).first()
        if account is None:
            raise errors.InvalidGrantError(description="This person has no account on this hub.", request=request)
        connection_id = f"c-{checksum(token['access_token'])[:16]}"
        if Connection.objects.filter(pk=connection_id).exists():
            raise errors.TemporarilyUnavailableError(description="Send the same request again.", request=request)
        family = get_refresh_token_model().objects.get(token_checksum=checksum(token["refresh_token"])).token_family
        actions.open_connection(
            Actor(door=Door.API, account_id=account.pk, user_id=request.user.pk, label=request.user.email),
            connection_id=connection_id,
            application=request.client,
            token_family=family,
            scopes=token["scope"],
            redirect_host=redirect_host,
        )

    # --- revocation (RFC 7009) ---------------------------------------------------------------------------------------------
    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        """End the connection the token belongs to, if it is this client's; anything else is passed over in silence."""
        tokens = get_refresh_token_model().objects.filter(application=request.client)
        digest = checksum(token)
        held = tokens.filter(token_checksum=digest).first() or tokens.filter(access_token__token_checksum=digest).first()
        if held is None:
            return
        connection = Connection.objects.active().filter(token_family=held.token_family).first()
        if connection is not None:
            client = replace(system(Door.API, connection.account_id), label=f"client {connection.client_name}")
            actions.revoke_connection(client, connection_id=connection.pk, reason="the client gave it up")
