"""Addresses of signing in, the authorization server, and the documents that describe it."""

from django.urls import include, path
from django.views.generic import RedirectView

from accounts import pages
from accounts.oauth import endpoints, metadata, registration
from accounts.proofs.pages import approve

WELL_KNOWN = ".well-known/oauth-protected-resource"

urlpatterns = [
    path("sign-in/", pages.SignInView.as_view(), name="sign-in"),
    path("sign-out/", pages.sign_out, name="sign-out"),
    path("approve/", approve, name="approve"),
    path("oauth/", include("accounts.oauth.urls")),
    # where clients go that hold no metadata: those of 2025-03-26, and the Python SDK's when it refreshes after a restart
    path("authorize", RedirectView.as_view(pattern_name="oauth2_provider:authorize", query_string=True)),
    path("token", endpoints.token),
    path("register", registration.register),
    path(".well-known/oauth-authorization-server", metadata.authorization_server, name="authorization-server"),
    path(WELL_KNOWN, metadata.protected_resource, name="protected-resource-root"),
    path(f"{WELL_KNOWN}/mcp", metadata.protected_resource, name="protected-resource"),
    path(f"{WELL_KNOWN}/mcp/", metadata.protected_resource, {"slash": True}, name="protected-resource-slash"),
    path(".well-known/<path:name>", metadata.unknown),
]
